"""struct audit_rule_data in a test's hands: taken apart, put together, in the kernel's order."""

import struct
from dataclasses import dataclass, field

HEAD = struct.Struct("<III64I64I64I64II")
PREPEND = 0x10
EQUAL, NOT_EQUAL = 0x40000000, 0x30000000
ARCH, FIELD_COMPARE, PERM, KEY = 11, 111, 106, 210
PATH, DIR, EXE = 105, 107, 112
TEXTS = {*range(13, 18), *range(19, 24), PATH, DIR, EXE, KEY}
ARCHES = {0xC000003E, 0x40000003}  # of x86_64
USER, TASK, EXIT, EXCLUDE, FILESYSTEM, IO_URING = 0, 1, 4, 5, 6, 7


@dataclass
class Rule:
    flags: int
    action: int
    mask: list
    tests: list = field(default_factory=list)  # (field, operator, number or bytes)

    @property
    def list(self):
        return self.flags & ~PREPEND

    def texts(self):
        return [value for _, _, value in self.tests if isinstance(value, bytes)]

    def pack(self):
        numbers, values, operators, text = [0] * 64, [0] * 64, [0] * 64, b""
        for i, (number, operator, value) in enumerate(self.tests):
            numbers[i], operators[i] = number, operator
            values[i] = len(value) if isinstance(value, bytes) else value & 0xFFFFFFFF
            text += value if isinstance(value, bytes) else b""
        head = HEAD.pack(
            self.flags, self.action, len(self.tests), *self.mask, *numbers, *values, *operators, len(text)
        )
        return head + text

    def stored(self):
        """As the kernel holds it."""
        return Rule(self.list, self.action, [*self.mask[:63], self.mask[63] & 0xFFFF], self.tests)


def unpack(message):
    """From "ADD_RULE <hex>"."""
    data = bytes.fromhex(message.split(" ")[-1])
    words = HEAD.unpack_from(data)
    mask, rest = list(words[3:67]), words[67:]
    tests, at = [], HEAD.size
    for i in range(words[2]):
        number, value, operator = rest[i], rest[64 + i], rest[128 + i]
        if number in TEXTS:
            value, at = data[at : at + value], at + value
        tests.append((number, operator, value))
    return Rule(words[0], words[1], mask, tests)


def kernel_table(rules):
    """The rules that are added one after the other, in the order in which the kernel lists them."""
    lists = {number: [] for number in range(8)}
    for rule in rules:
        held = rule.stored()
        if rule.flags & PREPEND:
            lists[rule.list].insert(0, held)
        elif held not in lists[rule.list]:
            lists[rule.list].append(held)
    return [rule for number in range(8) for rule in lists[number]]
