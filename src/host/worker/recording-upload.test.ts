import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { SimulatedClock } from '../../clock/index.js'
import type { SessionRecord } from '../../sessions/index.js'
import type { EventStore } from '../../store/index.js'
import { RecordingUpload } from './recording-upload.js'

let directory: string
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'signalbox-upload-'))
})
afterEach(() => rmSync(directory, { recursive: true }))

test.each(['live', 'end'] as const)(
  'a recording is sent when the blob store that was away at the session’s end is back (%s)',
  async when => {
    const clock = new SimulatedClock(1_000_000)
    const fileOf = (session: string) => join(directory, `${session}.cast`)
    writeFileSync(fileOf('ses_1'), 'a recording')
    let isAway = true
    let attempts = 0
    const blobs: string[] = []
    const saved: unknown[] = []
    const upload = new RecordingUpload({
      when,
      clock,
      fileOf,
      records: async () => [{ id: 'ses_1', state: 'ended' } as SessionRecord],
      server: {
        call: async (_, { data }) => {
          attempts++
          if (isAway) throw new Error('the bucket does not answer')
          blobs.push(Buffer.from(String(data), 'base64').toString())
          return 'name of the blob'
        },
      },
      store: {
        append: async (stream: string, _: unknown, events: readonly { data: unknown }[]) => {
          saved.push(stream, ...events.map(({ data }) => data))
        },
      } as unknown as EventStore,
      onError: () => undefined,
    })
    upload.ended('ses_1')
    await expect.poll(() => attempts).toBe(1)
    isAway = false
    await expect
      .poll(() => {
        clock.advance(5_000)
        return blobs
      })
      .toEqual(['a recording'])
    const event = { session: 'ses_1', from: 0, bytes: 11, blob: 'name of the blob' }
    await expect.poll(() => saved).toEqual(['session/ses_1', event])
    upload.close()
    expect(clock.pending).toBe(0)
  },
)
