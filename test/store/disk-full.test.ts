import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { describeNeeding } from '../support/requirements.js'
import { Child } from './child-process.js'

const PRIVATE_MOUNTS = ['unshare', '--user', '--map-root-user', '--mount']

// Where a process cannot have private mounts, `open.test.ts` still fills a store up to a number of
// pages.
describeNeeding('private mounts', 'a full disk', () => {
  it('refuses whole appends, keeps everything acknowledged, and continues when there is space again', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'signalbox-full-'))
    try {
      const child = new Child('disk-full.child.ts', [directory], { command: PRIVATE_MOUNTS })
      const report = JSON.parse((await child.finish()).at(-1) ?? '')
      expect(report.acknowledged).toBeGreaterThan(10)
      expect(new Set(report.codes)).toEqual(new Set(['E_DISK_FULL']))
      expect(report.full).toEqual({ version: report.acknowledged, readable: report.acknowledged, problems: [] })
      expect(report.late).toEqual({ version: report.acknowledged })
      expect(report.fresh).toBe('E_DISK_FULL')
      expect(report.again).toMatchObject({ version: report.acknowledged + 1 })
      expect(report.document).toMatchObject({ state: { count: report.acknowledged + 1 } })
      expect(report.problems).toEqual([])
    } finally {
      rmSync(directory, { recursive: true, force: true })
    }
  })
})
