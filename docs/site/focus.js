// What mdBook's pages lack for those who use a keyboard or do not see them.

// The button of the sidebar is a label of a hidden box, which no key reaches. mdBook's own script goes on with the label.
const label = document.getElementById('mdbook-sidebar-toggle');
const box = document.getElementById(label.htmlFor);
const button = document.createElement('button');
for (const { name, value } of label.attributes) if (name !== 'for') button.setAttribute(name, value);
button.type = 'button';
button.append(...label.childNodes);
label.replaceWith(button);
label.removeAttribute('for');
button.addEventListener('click', () => {
    label.click();
    box.click();
    button.setAttribute('aria-expanded', label.getAttribute('aria-expanded'));
});
document.getElementById('mdbook-menu-bar').setAttribute('role', 'banner');

// A table's column without a name has no header.
for (const head of document.querySelectorAll('main thead')) {
    const cells = [...head.querySelectorAll('th')];
    const nameless = cells.filter((cell) => !cell.textContent.trim());
    if (nameless.length === cells.length) head.remove();
    else for (const cell of nameless) cell.replaceWith(document.createElement('td'));
}

// Short code in a table stays in one piece: browsers would break it behind the hyphens of a flag.
for (const code of document.querySelectorAll('main td code')) {
    if (code.textContent.length <= 24) code.style.whiteSpace = 'nowrap';
}

// A number and its percent sign stay on one line.
const texts = document.createTreeWalker(document.querySelector('main'), NodeFilter.SHOW_TEXT);
while (texts.nextNode()) {
    const text = texts.currentNode;
    if (/\d %/.test(text.data) && !text.parentElement.closest('pre, code')) text.data = text.data.replace(/(\d) %/g, '$1\u00a0%');
}

// What scrolls can be reached with the keyboard.
for (const box of document.querySelectorAll('main pre > code, main .table-wrapper')) {
    if (box.scrollWidth > box.clientWidth) box.tabIndex = 0;
}
