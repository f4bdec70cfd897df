"""Documents that people have: their text is sanitized in place, and what is no text is known or removed.

A file is read into *parts*. Each part is text with places to write back (``Passage``), known and harmless, or removed
and named in the report. What a new format brings is one class (``model.Content``), named by its suffix in
``registry.READERS``:

    __init__(data: bytes, images: Images)   reads the file; refuses it in one line (``InputError``)
    passages: list[Passage]                 all text, in the order in which it is read
    parts, removed: Counter[str]            how many parts of each kind stay, and how many are gone
    written() -> bytes                      the file, whole, after passages were written

and one function, ``strings(data, images)``, which opens the written file by another library than the class's writer
and yields every string in it with the kind of its part (``check.Shown``). ``release`` does the rest: one text is made
of all passages, so a value has one surrogate in the whole document, what is drawn is written back into the pieces,
and the file is handed over only after the check.
"""
