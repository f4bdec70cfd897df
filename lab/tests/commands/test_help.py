"""``textveil --help`` says what each command of the lab does."""

from textveil.registry.table import LAB_COMMANDS


def test_each_command_of_the_lab_has_a_line_of_its_own(command) -> None:
    code, out, err = command("--help")
    assert code == 0 and b"Command of" not in out, err
    assert all(f"  {name} ".encode() in out for name in LAB_COMMANDS.split())
