/** An address of mail, or of a page, as a link. */
export function presentContact(contact: string): { href: string; text: string } {
  return { href: contact, text: contact.replace(/^(mailto:|https?:\/\/)/, "") };
}
