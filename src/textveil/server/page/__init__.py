"""The page that the server shows in a browser: a text, what is found in it, what leaves, and what that costs."""
