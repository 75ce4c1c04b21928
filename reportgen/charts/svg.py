"""SVG elements, and text without what no page can show; every text and attribute is escaped."""

import re
from html import escape

_JOINED = "\u0600-\u0dff"  # scripts from Arabic to Sinhala, whose letters take their form from the joiners between them

_UNSHOWABLE = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]"  # control characters that XML does not allow
    "|[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]"  # what turns the direction of the text around it
    "|[\xad\u180e\u200b\u2060-\u2065\u206a-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]"  # what has no width
    f"|(?<![{_JOINED}])[\u200c\u200d]|[\u200c\u200d](?![{_JOINED}])"
)
"""What no page can show, or what would make text look like another: no output for readers has it."""

Attribute = str | float | None


def element(name: str, content: str = "", /, **given: Attribute) -> str:
    """Return one element; `content` is markup.

    Examples
    --------
    >>> element("line", x1=0, x2=10.25, class_="grid")
    '<line x1="0" x2="10.2" class="grid"/>'
    """
    return f"<{name}{attributes(**given)}>{content}</{name}>" if content else f"<{name}{attributes(**given)}/>"


def attributes(**given: Attribute) -> str:
    """Return attributes as they stand in an element; one that is None is left out.

    Underscores in names become hyphens (``stroke_width``), a trailing one is dropped (``class_``); lengths are written
    with one decimal.
    """
    return "".join(
        f' {key.rstrip("_").replace("_", "-")}="{words(value) if isinstance(value, str) else number(value)}"'
        for key, value in given.items()
        if value is not None
    )


def number(value: float) -> str:
    """Return a length in pixels as it is written."""
    return f"{value:.1f}".removesuffix(".0")


def words(content: str) -> str:
    r"""Return text as markup, without the characters no page can show.

    Examples
    --------
    >>> words("a < b\x00")
    'a &lt; b'
    """
    return escape(clean(content))


def clean(content: str) -> str:
    r"""Return text without the characters no page can show.

    Examples
    --------
    >>> clean("a\u202eb\u200b\x1b"), clean("\u0645\u06cc\u200c\u062e") == "\u0645\u06cc\u200c\u062e"
    ('ab', True)
    """
    return _UNSHOWABLE.sub("", content)


def written_out(content: str) -> str:
    r"""Return text with the characters no page can show written as escapes.

    Examples
    --------
    >>> written_out("a\x1b\u202eb\u200b")
    'a\\x1b\\u202eb\\u200b'
    """
    return _UNSHOWABLE.sub(lambda found: found[0].encode("unicode_escape", "surrogatepass").decode("ascii"), content)
