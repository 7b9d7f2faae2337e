"""Reads an option from the arguments of a command before they are parsed, because loading the
parser is slow."""


def option_value(arguments: "list[str]", option: str) -> "str | None":
    """Returns the value of an option; the last one counts. The result is wrong if another option
    has a value that looks like this option."""
    value = None
    for number, argument in enumerate(arguments):
        if argument == "--":
            break
        if argument.startswith(f"{option}="):
            value = argument.partition("=")[2]
        elif argument == option and number + 1 < len(arguments):
            value = arguments[number + 1]
    return value
