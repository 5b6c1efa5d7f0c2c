export const $ = id => document.getElementById(id);

/** Sets a text only where it changes: what is live is read out each time that it is set. */
export function say(id, text) {
  if ($(id).textContent !== text) {
    $(id).textContent = text;
  }
}

/** A button that is busy keeps the focus, as one that is disabled would not. */
export function setBusy(button, busy) {
  button.ariaDisabled = String(busy);
}

export function isBusy(button) {
  return button.ariaDisabled === "true";
}

/** An element with attributes and children, which are elements or texts. */
export function element(name, attributes = {}, ...children) {
  const node = document.createElement(name);
  Object.entries(attributes).forEach(([key, value]) => node.setAttribute(key, value));
  node.append(...children);
  return node;
}

/** A cell of a table, with its column's name for where there is no room for columns. */
export function cell(label, text, className = "") {
  return element("td", {"data-label": label, class: className}, text);
}

export function number(value) {
  return value.toLocaleString("en");
}

/** A count with its noun, which is in the singular for one. */
export function count(value, noun) {
  return `${number(value)} ${noun}${value === 1 ? "" : "s"}`;
}
