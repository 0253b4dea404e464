import { createWriteStream } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { get } from 'node:http'
import { basename, resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { EXIT, SignalboxError } from '../../errors/index.js'
import type { Conversation, InMilliseconds, Page, Session } from '../../server/index.js'
import type { CommandContext } from '../context.js'
import { DaemonClient } from '../daemon-client.js'
import { sessionPath } from '../sessions/session-path.js'
import { sessionPage } from './session-page.js'

type SessionFormat = 'html' | 'asciicast'

const ENDINGS: Readonly<Record<SessionFormat, string>> = { html: 'html', asciicast: 'cast' }

/**
 * One session as one file, to be given to others: its conversation as a page, or its recording. The
 * daemon removes secrets from both.
 */
export async function exportSession(
  context: CommandContext,
  word: string | undefined,
  { format, output, json }: { format: SessionFormat; output?: string | undefined; json?: boolean | undefined },
): Promise<number> {
  const client = await DaemonClient.connect(context)
  const session = await client.get<Session>(await sessionPath(client, word))
  const file = resolve(context.cwd, output ?? `session-${session.number}.${ENDINGS[format]}`)
  try {
    if (format === 'html') await writeFile(file, await pageOf(client, session), { mode: 0o600, flag: 'wx' })
    else await writeRecording(client, session, file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    throw new SignalboxError('E_INPUT', `${file} exists already`, { next: 'name another file with -o' })
  }
  if (json) context.json({ session: session.id, file })
  else context.out(file)
  return EXIT.ok
}

async function pageOf(client: DaemonClient, session: InMilliseconds<Session>): Promise<string> {
  const { renderTelegram } = await import('../../screen/index.js')
  const conversation = await client.get<Conversation>(`/sessions/${session.id}/conversation`)
  return sessionPage(
    {
      ...conversation,
      title: session.label ?? session.title ?? `Session ${session.number}`,
      agent: session.agent,
      project: basename(session.project),
      startedAt: session.startedAt,
    },
    blocks => renderTelegram(blocks as never, { maxUnits: Number.MAX_SAFE_INTEGER }).join('\n'),
  )
}

async function writeRecording(client: DaemonClient, { id }: Pick<Session, 'id'>, file: string): Promise<void> {
  const { items } = await client.get<Page<{ id: string }>>(`/recordings?session=${id}`)
  const recording = items[0]
  if (!recording)
    throw new SignalboxError('E_UNKNOWN', `session ${id} has no recording`, { next: 'an agent over ACP has none' })
  const path = `/api/v1/recordings/${encodeURIComponent(recording.id)}.cast`
  await new Promise<void>((done, fail) => {
    get({ socketPath: client.socketPath, path }, response => {
      if (response.statusCode !== 200) {
        response.resume()
        fail(new SignalboxError('E_UNKNOWN', `the recording of ${id} cannot be read`, { next: 'signalbox doctor' }))
      } else pipeline(response, createWriteStream(file, { mode: 0o600, flags: 'wx' })).then(done, fail)
    }).on('error', fail)
  })
}
