import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { SAMPLE_BUG, writeSampleProject } from '../../src/demo-agent/sample-project.js'
import { DemoTerminal, type HarnessOptions, KEY, temporaryDirectory } from './terminal-harness.js'

let terminal: DemoTerminal | null = null
afterEach(() => terminal?.close())

function start(options: HarnessOptions): DemoTerminal {
  terminal = new DemoTerminal(options)
  return terminal
}

function sampleProject(): string {
  const directory = temporaryDirectory()
  writeSampleProject(directory)
  return directory
}

describe.each(['inline', 'fullscreen'])('the tour, %s', renderer => {
  const flags = renderer === 'fullscreen' ? ['--fullscreen'] : []

  it('finds the bug with a failing test, asks once, fixes it and runs the test again', async () => {
    const cwd = sampleProject()
    const demo = start({ cwd, args: flags, rows: 60 })
    await demo.ask('Why does the discount test fail?')
    await demo.until('May I make this change to src/cart.js?')
    expect(demo.screen).toContain(' ▸ 1. Yes, this once')
    expect(demo.screen).toContain('exit code 1')
    expect(demo.screen).toContain(`9 -   ${SAMPLE_BUG.find}`)
    expect(demo.screen).not.toMatch(/^▷ What next/m)
    expect(readFileSync(join(cwd, SAMPLE_BUG.path), 'utf8')).toContain(SAMPLE_BUG.find)
    await demo.confirm(/◈ Finished in \d+s/)
    expect(readFileSync(join(cwd, SAMPLE_BUG.path), 'utf8')).toContain(SAMPLE_BUG.replace)
    expect(spawnSync('git', ['diff', '--numstat'], { cwd, encoding: 'utf8' }).stdout).toBe('1\t1\tsrc/cart.js\n')
    expect(demo.buffer).toBe(renderer === 'fullscreen' ? 'alternate' : 'normal')
    expect(demo.colorOf('◈ Finished')).toBe('#7fc08a')
    demo.type(KEY.ctrlD)
    expect(await demo.exited()).toMatchObject({ exitCode: 0 })
    expect(demo.buffer).toBe('normal')
    expect(demo.modes.bracketedPasteMode).toBe(false)
    expect(demo.screen).toMatch(/signalbox-demo --resume [0-9a-f-]{36}/)
  })
})

describe('the tour when the person denies the request', () => {
  it('changes nothing and ends the turn as declined', async () => {
    const cwd = sampleProject()
    const demo = start({ cwd })
    await demo.ask('fix it')
    await demo.until('esc to decline')
    demo.type(KEY.escape)
    await demo.until('◈ Declined by you')
    expect(readFileSync(join(cwd, SAMPLE_BUG.path), 'utf8')).toContain(SAMPLE_BUG.find)
  })

  it('passes on the text that was typed into the last option', async () => {
    const demo = start({ cwd: sampleProject() })
    await demo.ask('fix it')
    await demo.until('esc to decline')
    demo.type('4')
    await demo.until(' ▸ 4. No, and tell')
    demo.type('use floor')
    await demo.until(' ▸ 4. use floor')
    expect(demo.cursorRow).toContain('use floor')
    await demo.confirm('┆ declined: use floor')
  })
})
