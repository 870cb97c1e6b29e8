"""Findings in an editor as one types, by the Language Server Protocol (`analyze --lsp`).

`positions`: places as the protocol counts them. `answers`: what is shown of one text, as values; `answering`: made from
the document of a run. `forks`: each text is analysed in a process of its own, which ends when nobody waits for it any
more. `open_texts`: the texts that are open, of which only the newest counts. `messages`: answers in the words of the
protocol, `rule_pages`: what findings link to, `server`: all of it together.

Only `messages` and `server` import pygls, which is installed on request. How a text is analysed is handed in by the
command: it is the run of a file on standard input.
"""
