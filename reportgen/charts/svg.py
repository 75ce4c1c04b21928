"""Write SVG elements with escaped text and attributes, without characters that no page can show."""

import re
from html import escape

_JOINED = "\u0600-\u0dff"  # scripts from Arabic to Sinhala, whose letter forms depend on joiners

_UNSHOWABLE = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]"  # control characters that XML does not allow
    "|[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]"  # characters that reverse the direction of the text around them
    "|[\xad\u180e\u200b\u2060-\u2065\u206a-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]"  # characters without width
    f"|(?<![{_JOINED}])[\u200c\u200d]|[\u200c\u200d](?![{_JOINED}])"
)
"""Characters that no page can show, or that make text look like other text; no output contains them."""

Attribute = str | float | None


def element(name: str, content: str = "", /, **given: Attribute) -> str:
    """Write one element; `content` is markup.

    >>> element("line", x1=0, x2=10.25, class_="grid")
    '<line x1="0" x2="10.2" class="grid"/>'
    """
    return f"<{name}{attributes(**given)}>{content}</{name}>" if content else f"<{name}{attributes(**given)}/>"


def attributes(**given: Attribute) -> str:
    """Write attributes; those that are None are omitted.

    Underscores in names become hyphens (``stroke_width``) and trailing ones are dropped (``class_``). Lengths have one
    decimal.
    """
    return "".join(
        f' {key.rstrip("_").replace("_", "-")}="{words(value) if isinstance(value, str) else number(value)}"'
        for key, value in given.items()
        if value is not None
    )


def number(value: float) -> str:
    """Format a length in pixels."""
    return f"{value:.1f}".removesuffix(".0")


def words(content: str) -> str:
    r"""Escape text for markup, without the characters no page can show.

    >>> words("a < b\x00")
    'a &lt; b'
    """
    return escape(clean(content))


def clean(content: str) -> str:
    r"""Remove the characters no page can show.

    >>> clean("a\u202eb\u200b\x1b"), clean("\u0645\u06cc\u200c\u062e") == "\u0645\u06cc\u200c\u062e"
    ('ab', True)
    """
    return _UNSHOWABLE.sub("", content)


def one_line(content: str) -> str:
    """Remove the characters no page can show and the line breaks; spaces that keep numbers together stay."""
    return re.sub(r"[^\S\u00a0\u202f]+", " ", clean(content)).strip()


def written_out(content: str) -> str:
    r"""Replace the characters no page can show by escapes.

    >>> written_out("a\x1b\u202eb\u200b")
    'a\\x1b\\u202eb\\u200b'
    """
    return _UNSHOWABLE.sub(lambda found: found[0].encode("unicode_escape", "surrogatepass").decode("ascii"), content)
