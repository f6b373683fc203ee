"""What people read in a consultation and on the page, in several languages.

Each language is a file of messages, ``en.json`` and so on, with the same keys. Text is English
until somebody asks for another language: a :class:`Phrase` is English text that can be said again.
"""

from frugaltree.messages.languages import LANGUAGES, find_language, messages_of
from frugaltree.messages.phrases import Phrase, say, translated

__all__ = ["LANGUAGES", "Phrase", "find_language", "messages_of", "say", "translated"]
