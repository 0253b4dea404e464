import { EXIT, SignalboxError } from '../../errors/index.js'
import type { InMilliseconds, NewShare, Session, Share, ShareList } from '../../server/index.js'
import type { CommandContext } from '../context.js'
import { DaemonClient } from '../daemon-client.js'
import { parseDuration } from '../parse-options.js'
import { sessionPath } from '../sessions/session-path.js'
import type { InputOf } from '../specs/index.js'

const HOUR_MS = 3_600_000

/** Makes, lists and revokes links that show one session. */
export async function run(context: CommandContext, { args, options }: InputOf<'share'>): Promise<number> {
  const client = await DaemonClient.connect(context)
  if (options.revoke !== undefined) return revoke(context, client, options.revoke, options.json)
  if (args.id === undefined) return list(context, client, options.json)
  const { id, number } = await client.get<Session>(await sessionPath(client, args.id))
  const hours = options.for === undefined ? undefined : Math.ceil(parseDuration('--for', options.for) / HOUR_MS)
  const made = await client.post<NewShare>(`/sessions/${id}/shares`, hours === undefined ? {} : { hours })
  if (options.json) context.json(made)
  else {
    context.out(made.url)
    context.note(`Anyone who can open this address can read session ${number} until ${endOf(made.share)}.`)
    context.note(`To end it: signalbox share --revoke ${made.share.id}`)
  }
  return EXIT.ok
}

async function list(context: CommandContext, client: DaemonClient, json: boolean | undefined): Promise<number> {
  const { items } = await client.get<ShareList>('/shares')
  if (json) context.json({ items })
  else if (items.length === 0) context.out('no session is shared; signalbox share <session> makes a link')
  else for (const share of items) context.out(`${share.id}  until ${endOf(share)}  ${share.name}`)
  return EXIT.ok
}

/** By its id, or a beginning of it that only one link has. */
async function revoke(
  context: CommandContext,
  client: DaemonClient,
  word: string,
  json: boolean | undefined,
): Promise<number> {
  const { items } = await client.get<ShareList>('/shares')
  const found = items.filter(({ id }) => id.startsWith(word.startsWith('shr_') ? word : `shr_${word}`))
  if (found.length !== 1)
    throw new SignalboxError('E_UNKNOWN', `${found.length === 0 ? 'unknown' : 'ambiguous'} link "${word}"`, {
      next: 'signalbox share lists them',
    })
  await client.delete(`/shares/${found[0]!.id}`)
  if (json) context.json({ revoked: found[0]!.id })
  else context.out(`${found[0]!.id}: revoked`)
  return EXIT.ok
}

function endOf({ expiresAt }: Pick<InMilliseconds<Share>, 'expiresAt'>): string {
  const at = new Date(expiresAt)
  const two = (value: number) => String(value).padStart(2, '0')
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())} ${two(at.getHours())}:${two(at.getMinutes())}`
}
