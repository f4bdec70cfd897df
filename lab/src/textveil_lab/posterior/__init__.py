"""What an output says about its input: from the channel and public facts alone, word by word."""
