import { createWriteStream, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { CommandContext } from '../context.js'
import { DaemonClient } from '../daemon-client.js'

/** The recording that a word names: a file, or that of a session, wherever its machine is. */
export async function withRecordingFile<T>(
  context: CommandContext,
  word: string,
  read: (path: string) => Promise<T>,
): Promise<T> {
  const path = resolve(context.cwd, word)
  if (existsSync(path) || !/^(\d+|(ses|rec)_\w+)$/.test(word)) return read(path)
  const client = await DaemonClient.connect(context)
  const directory = mkdtempSync(join(tmpdir(), 'signalbox-replay-'))
  try {
    const copy = join(directory, 'recording.cast')
    await pipeline(await client.download(`/recordings/${word}.cast`), createWriteStream(copy, { mode: 0o600 }))
    return await read(copy)
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}
