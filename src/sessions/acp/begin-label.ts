/** The marker in a recording that says that a call of the agent is about to be carried out. */
const PREFIX = 'acp/begin '

export function beginLabel(rpc: number | string): string {
  return `${PREFIX}${JSON.stringify(rpc)}`
}

/** The call that a marker is about; null for any other marker. */
export function callOfLabel(label: string): number | string | null {
  if (!label.startsWith(PREFIX)) return null
  const rpc: unknown = JSON.parse(label.slice(PREFIX.length))
  return typeof rpc === 'number' || typeof rpc === 'string' ? rpc : null
}
