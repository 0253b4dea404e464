/** Whoever has the owner's credentials is the user of this machine, by whatever door. */
export function personName(id: string): string {
  return id === 'owner' ? 'local' : id
}
