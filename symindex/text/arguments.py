"""The arguments of a command, looked at before they are parsed, which would mean to load the
parser."""


def option_value(arguments: "list[str]", option: str) -> "str | None":
    """What an option is given; the last one counts. Wrong where another option is given a word that
    looks like this one."""
    value = None
    for number, argument in enumerate(arguments):
        if argument == "--":
            break
        if argument.startswith(f"{option}="):
            value = argument.partition("=")[2]
        elif argument == option and number + 1 < len(arguments):
            value = arguments[number + 1]
    return value
