"""Ways that control takes through a helper: returns from the middle, searches, switches, loops that are left, jumps."""

from .phrases import Phrases


def back(phrases: Phrases, result: str) -> str:
    """A return from the middle; empty where there is no value to return."""
    return {"v": f"return {phrases.value(1)};", "k": "return 1;", "": "return;"}.get(result, "")


def leaving(phrases: Phrases, result: str) -> list[str]:
    """Return early under a condition."""
    line = back(phrases, result)
    return [f"if ({phrases.condition()})", f"    {line}"] if line else []


def on_the_way(phrases: Phrases, result: str, stores: bool) -> list[str]:
    """One statement of several kinds that decides by itself where control goes. `stores`: it may write to memory."""
    inner = phrases.store() if stores else f"q0 += {phrases.value(1)};"
    first = [] if stores else ["double q0 = 0;"]
    found = [*first, *_way(phrases, result, inner)]
    if not stores:
        phrases.scope.values.append("q0")
    return found


def _way(phrases: Phrases, result: str, inner: str) -> list[str]:
    scope, rng = phrases.scope, phrases.rng
    condition = phrases.condition()
    match rng.randrange(7):
        case 0 if scope.sources and back(phrases, result):
            line = "return j;" if result == "k" else back(phrases, result)
            name = rng.choice(scope.sources)
            return ["for (int j = 0; j < 8; j++)", f"    if ({name}[j] > {phrases.value(1)})", f"        {line}", inner]
        case 1 if scope.sources:
            name = rng.choice(scope.sources)
            lines = ["int j;", "for (j = 0; j < 8; j++)", f"    if ({name}[j] > {phrases.value(1)})", "        break;"]
            scope.positions.append("j")
            return [*lines, inner]
        case 2 if scope.positions:
            other = "g_sum = 1;" if not phrases.chance(phrases.care) else ";"
            cases = ["case 0:", f"    {inner}", "    break;", "case 1:", f"    {inner}", "default:", f"    {other}"]
            return [f"switch ({rng.choice(scope.positions)} & 3) {{", *cases, "}"]
        case 3:
            test = rng.choice(["continue;", "break;", back(phrases, result) or "break;"])
            return ["int q = 0;", "while (q++ < 3) {", f"    if ({condition})", f"        {test}", f"    {inner}", "}"]
        case 4:
            return ["int q = 3;", "do {", f"    {inner}", f"}} while (--q > 0 && {condition});"]
        case 5:
            return [f"if ({condition})", "    goto past;", inner, "past: ;"]
        case _:
            return [f"if ({condition}) {{", f"    {inner}", "} else {", f"    {inner}", "}"]
