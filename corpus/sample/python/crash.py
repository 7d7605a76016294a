"""Fails in the ways in which Python shows more than one exception."""

from __future__ import annotations

import asyncio
import logging
import sqlite3
import sys

from ledger.money import Money, parse


class Journal:
    """Bookings in a database that is undone when one of them fails; undoing fails too."""

    def __init__(self) -> None:
        self.base = sqlite3.connect(":memory:")
        self.base.execute("create table account(name text primary key, cents int check(cents >= 0))")
        self.base.executemany("insert into account values(?, ?)", [("till", 5000), ("bank", 125000), ("rent", 0)])

    def move(self, source: str, target: str, amount: Money) -> None:
        try:
            self.base.execute("update account set cents = cents - ? where name = ?", (amount.cents, source))
            self.base.execute("update acount set cents = cents + ? where name = ?", (amount.cents, target))
        except sqlite3.IntegrityError as fault:
            fault.add_note(f"{source} holds less than {amount}")
            raise
        except sqlite3.OperationalError:
            self.undo(source, target)

    def undo(self, *names: str) -> None:
        self.base.rollback()
        for name in names:
            [row] = self.base.execute("select cents from account where name = ? and cents < 0", (name,)).fetchall()
            print(name, row)


def book(orders: list[tuple[str, str, str]]) -> None:
    for source, target, text in orders:
        try:
            Journal().move(source, target, parse(text))
        except (sqlite3.Error, ValueError):
            logging.exception("%s to %s was not booked", source, target)


async def fetch(number: int) -> Money:
    await asyncio.sleep(0)
    if number % 3 == 0:
        raise TimeoutError(f"bank {number} did not answer within 5 s")
    return Money(number) + Money(1, "USD" if number % 2 else "EUR")


async def fetch_all() -> None:
    async with asyncio.TaskGroup() as group:
        for number in range(1, 5):
            group.create_task(fetch(number), name=f"bank-{number}")


if __name__ == "__main__":
    sys.stdout = sys.stderr
    match sys.argv[1]:
        case "chain":
            logging.basicConfig(format="%(asctime)s %(levelname)s %(message)s")
            book([("till", "bank", "80.00 EUR"), ("bank", "rent", "950.00 EUR"), ("bank", "till", "twelve")])
            Journal().move("bank", "rent", None)
        case "group":
            asyncio.run(fetch_all())
