/** A mail address or a web address, as a link. */
export function presentContact(contact: string): { href: string; text: string } {
  return { href: contact, text: contact.replace(/^(mailto:|https?:\/\/)/, "") };
}
