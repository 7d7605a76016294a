// What scrolls can be reached with the keyboard.
for (const box of document.querySelectorAll('main pre > code, main .table-wrapper')) {
    if (box.scrollWidth > box.clientWidth) box.tabIndex = 0;
}
