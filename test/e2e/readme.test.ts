import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { describeNeeding } from '../support/requirements.js'
import { ROOT, TestHome, waitFor } from './harness.js'
import { TmuxTerminal } from './tmux.js'

/**
 * The commands of the tour, in the order of the page: lines of `sh` blocks, and `$ …` of others.
 */
function tourOf(page: string): string[] {
  const tour = page.slice(page.indexOf('## A short tour'), page.indexOf('## What it is\n'))
  return [...tour.matchAll(/```(sh|console)\n([\s\S]*?)```/g)].flatMap(([, kind, block = '']) => {
    const lines = block.split('\n').filter(line => line.trim() !== '')
    return kind === 'sh' ? lines : lines.filter(line => line.startsWith('$ ')).map(line => line.slice(2))
  })
}

/** A person who follows the page, with a home directory and a repository of their own. */
class Reader extends TestHome {
  override get env(): Record<string, string> {
    const { SIGNALBOX_HOME: _, ...env } = super.env
    return { ...env, HOME: join(this.directory, 'person') }
  }
}

describeNeeding('tmux', 'the README', () => {
  let reader: Reader
  let person: TmuxTerminal
  let count = 0

  beforeAll(async () => {
    reader = new Reader()
    mkdirSync(join(reader.directory, 'person'))
    // An agent could type into this tmux, too; a terminal of the reader's own needs no setting.
    await reader.ok(['config', 'set', 'approvals.unproven', 'allow'])
    const git = (...args: string[]) => execFileSync('git', args, { cwd: reader.work, env: reader.env })
    git('init', '-q', '-b', 'main')
    git('config', '--global', 'user.name', 'Reader')
    git('config', '--global', 'user.email', 'reader@example.org')
    git('commit', '-q', '--allow-empty', '-m', 'first')
    person = new TmuxTerminal(reader, { cols: 120, rows: 40 })
  })
  afterAll(async () => {
    person?.close()
    await reader?.close()
  })

  const enter = (text: string) => {
    person.type(text)
    person.key('Enter')
  }

  /** Types a command; what it asks is answered as the page says. @returns its exit code. */
  const follow = async (command: string): Promise<number> => {
    const mark = `step-${++count}`
    person.type(`clear; ${command.replace(/\s+#.*$/, '')}; echo "${mark}" "code=$?"`)
    person.key('Enter')
    const done = () => new RegExp(`^${mark} code=(\\d+)$`, 'm').exec(person.screen())?.[1]
    const answers: [RegExp, () => void][] = [
      [/\[y\/N\] *$/, () => enter('y')],
      [/a key or a label > *$/, () => enter('approve')],
    ]
    // Pressed once: a second press would be typed into the shell if the program ends meanwhile.
    const exits: [RegExp, () => void][] = [
      [/^signalbox +\d+ needs? you|^signalbox +nothing needs you/m, () => person.key('q')],
      [/enter to send|enter to queue/, () => person.key('C-]')],
    ]
    let answered = ''
    let hasLeft = false
    return (
      Number(
        await waitFor(`the end of ${command}`, () => {
          const screen = person.screen()
          const code = done()
          if (code !== undefined) return String(Number(code) + 1000)
          const asked = answers.find(([asks]) => asks.test(screen))
          const shown = exits.find(([shows]) => shows.test(screen))
          if (asked && answered !== screen) {
            answered = screen
            asked[1]()
          } else if (shown && !hasLeft) {
            hasLeft = true
            shown[1]()
          }
          return undefined
        }).catch(error => {
          throw new Error(`${(error as Error).message}\n${person.screen()}`)
        }),
      ) - 1000
    )
  }

  it('works when it is followed in a fresh home directory and a repository of the reader', async () => {
    const commands = tourOf(readFileSync(join(ROOT, 'README.md'), 'utf8'))
    expect(commands.length).toBeGreaterThan(12)
    person.type(`cd '${ROOT}'`)
    person.key('Enter')
    for (const command of commands) {
      const code = await follow(command)
      const screen = person.screen()
      if (command.startsWith('alias ')) await follow(`cd '${reader.work}'`)
      // The agent asks for a permission: the person is needed.
      if (command.includes('send 1')) expect([code, screen], command).toEqual([4, expect.stringContaining('needs you')])
      // An agent that is not installed is named, with the way to install it.
      else if (/start (claude|codex)/.test(command))
        expect([code === 0 || (code === 7 && /npm install/.test(screen)), screen], command).toEqual([true, screen])
      else expect([code, screen], command).toEqual([0, screen])
      if (command.startsWith('signalbox approve ')) expect(screen).toContain('— applied')
    }
    // The demo agent left the repository alone; the runs work on branches or in their own
    // directories.
    expect(
      readdirSync(reader.work).filter(name => !['.git', 'issue.md', 'DEMO.md', 'NOTES.md'].includes(name)),
    ).toEqual([])
  })
})
