/**
 * The owner is the user of this machine ("local"), whichever credential or listener a request uses.
 */
export function personName(id: string): string {
  return id === 'owner' ? 'local' : id
}
