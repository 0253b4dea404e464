import { execFileSync, spawn } from 'node:child_process'
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { CLI, ROOT } from './harness.js'
import { InsideHome } from './inside.js'

/*
 * The commands of `console` blocks are executed, each page in a fresh home, and print what the page
 * shows: `…` in a line stands for any text, a line that is only `…` for any lines. `sh` blocks show
 * commands that need something of the reader (an agent, a phone, another machine); `npm run docs`
 * checks that their commands and options exist.
 */
const PAGES = ['quick-start.md', ...readdirSync(join(ROOT, 'docs', 'jobs')).map(name => `jobs/${name}`)]

interface Shown {
  command: string
  output: string[]
}

function shownIn(page: string): Shown[] {
  const text = readFileSync(join(ROOT, 'docs', page), 'utf8')
  const found: Shown[] = []
  for (const [, block = ''] of text.matchAll(/```console\n([\s\S]*?)```/g))
    for (const line of block.trimEnd().split('\n'))
      if (line.startsWith('$ ')) found.push({ command: line.slice(2), output: [] })
      else found.at(-1)!.output.push(line)
  return found
}

/** What is shown as an expression. */
function pattern(lines: readonly string[]): RegExp {
  const parts = lines.map(line =>
    line === '…'
      ? '(?:[^\\n]*\\n)*'
      : `${line
          .split('…')
          .map(text => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'))
          .join('[^\\n]*')}\\n`,
  )
  return new RegExp(`^${parts.join('')}$`)
}

/**
 * A hook may report a request before its dialog is drawn, and a page shows the request with the
 * options of the dialog.
 */
const DIALOG_READ = `for n in {1..100}; do signalbox approvals | grep -q 'Yes, this once' && break; sleep 0.1; done`

/** One shell for the whole page, so that `$?` and the active session are those of the page. */
async function follow(home: InsideHome, commands: readonly Shown[]): Promise<{ output: string; code: number }[]> {
  const bin = join(home.directory, 'bin')
  mkdirSync(bin)
  const program = join(bin, 'signalbox')
  writeFileSync(program, `#!/bin/sh\nexec '${process.execPath}' '${CLI}' "$@"\n`)
  chmodSync(program, 0o755)
  const script = commands
    .map(({ command }, index) => {
      const before = command === 'signalbox approvals' ? `${DIALOG_READ}\n` : ''
      return `${before}(exit $last)\n${command}\nlast=$?\necho "@@${index} $last"`
    })
    .join('\n')
  const shell = spawn('bash', ['-c', `last=0\nexec 2>&1\n${script}`], {
    cwd: home.work,
    env: { ...home.env, PATH: `${bin}:${home.env.PATH}`, SIGNALBOX_DEMO_SPEED: '20' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let text = ''
  for await (const chunk of shell.stdout) text += chunk
  const results: { output: string; code: number }[] = []
  for (const [, output = '', code] of text.matchAll(/([\s\S]*?)@@\d+ (\d+)\n/g))
    results.push({ output: output.replace(/[ \t]+$/gm, ''), code: Number(code) })
  return results
}

describe('commands that the documentation shows', () => {
  it.concurrent.each(PAGES.filter(page => shownIn(page).length > 0))(
    '%s: commands print what the page shows',
    async page => {
      const home = new InsideHome()
      try {
        const git = (...args: string[]) => execFileSync('git', args, { cwd: home.work, env: home.env })
        git('init', '-q', '-b', 'main')
        git(
          '-c',
          'user.name=Reader',
          '-c',
          'user.email=reader@example.org',
          'commit',
          '-q',
          '--allow-empty',
          '-m',
          'first',
        )
        const shown = shownIn(page)
        const results = await follow(home, shown)
        for (const [index, { command, output }] of shown.entries())
          expect(results[index]?.output, `${page}: ${command}`).toMatch(pattern(output))
        expect(results).toHaveLength(shown.length)
      } finally {
        await home.close()
      }
    },
  )

  it('are found on the pages that a new user reads first', () => {
    expect(PAGES.flatMap(shownIn).length).toBeGreaterThan(12)
  })
})
