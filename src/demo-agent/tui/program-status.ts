export type StatusState = 'idle' | 'working' | 'done' | 'blocked' | 'error' | 'clear'

export interface Status {
  state: StatusState
  kind?: 'permission' | 'question' | 'auth'
  msg?: string
  id?: string
  title?: string
}

/** OSC 7501, Program Status Protocol revision 0.3. Texts are base64 of UTF-8. */
export function statusSequence(status: Status): string {
  const fields = [`state=${status.state}`, 'app=signalbox-demo']
  if (status.id) fields.push(`id=${status.id}`)
  if (status.kind) fields.push(`kind=${status.kind}`)
  if (status.msg) fields.push(`msg=${base64(status.msg.slice(0, 500))}`)
  if (status.title) fields.push(`title=${base64(status.title)}`)
  return `\x1b]7501;${fields.join(':')}\x1b\\`
}

export const STATUS_QUERY = '\x1b]7501;?\x1b\\'

function base64(text: string): string {
  return Buffer.from(text, 'utf8').toString('base64')
}
