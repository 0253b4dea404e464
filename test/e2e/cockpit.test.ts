import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { executableFiles } from '../../src/trust/index.js'
import { describeNeeding } from '../support/requirements.js'
import { waitFor } from './harness.js'
import { InsideHome } from './inside.js'
import { TmuxTerminal } from './tmux.js'

interface Request {
  id: string
  state: string
  decision?: { option: string; note?: string; surface: string }
}

const edit = (find: string, replace: string) => ({
  tool: { name: 'Edit', kind: 'edit', edit: { path: 'src/cart.js', find, replace }, permission: true },
})
const LONG = Array.from({ length: 60 }, (_, n) => `const row${n} = ${n}`).join('\n')
const TURNS = [edit('return sum', 'return sum / 2'), edit('the second', 'a change'), edit('end', LONG)].map(step => ({
  steps: [step, { say: { markdown: 'All done.' } }],
}))

describeNeeding('tmux', 'the cockpit', () => {
  let home: InsideHome
  let person: TmuxTerminal

  beforeAll(async () => {
    home = new InsideHome()
    // An agent could type into this tmux, too; a terminal of the person's own needs no setting.
    await home.ok(['config', 'set', 'approvals.unproven', 'allow'])
    mkdirSync(join(home.work, 'src'))
    writeFileSync(join(home.work, 'src/cart.js'), 'return sum\nthe second\nend\n')
    writeFileSync(join(home.work, 'edits.json'), JSON.stringify({ name: 'edits', description: 'edits', turns: TURNS }))
    person = new TmuxTerminal(home, { cols: 120, rows: 36 })
    person.type(`export SIGNALBOX_DEMO_SCENARIO='${join(home.work, 'edits.json')}' SIGNALBOX_DEMO_SPEED=0`)
    person.key('Enter')
  })
  afterAll(async () => {
    person?.close()
    await home?.close()
  })

  const closed = (count: number) =>
    waitFor(`${count} closed requests`, async () => {
      const all = await home.json<Request[]>(['approvals', '--all', '--json'])
      const ended = all.filter(({ state }) => state === 'applied')
      return ended.length === count ? ended : undefined
    })
  /**
   * A request counts as read a moment after it appeared: the key is pressed until it is accepted.
   */
  const pressUntil = async (key: string, seen: RegExp) => {
    await waitFor(`${key} to show ${seen}`, async () => {
      if (seen.test(person.screen())) return true
      person.key(key)
      return waitFor('the screen', () => seen.test(person.screen()), 1_000).catch(() => false)
    })
  }

  it('starts, shows, prompts, allows, denies, attaches and stops a session', async () => {
    person.run()
    await person.see('No sessions yet')
    person.key('n')
    await person.see('Which agent?')
    while (!/▌\d {2}Demo agent/.test(person.screen())) {
      const before = person.screen()
      person.key('Down')
      await waitFor('the next agent', () => person.screen() !== before)
    }
    person.key('Enter')
    await person.see('Where should demo work?')
    person.key('Enter')
    await person.see('First prompt for demo')
    person.type('Halve the sum')
    person.key('Enter')

    // The request of the selected session as a diff, and the agent's screen below it.
    const shown = await person.see(/1 needs you[\s\S]*\+ return sum \/ 2[\s\S]*May I make this change/)
    // The line is the first of its file.
    expect(shown).toContain('1 - return sum')
    expect(shown).toContain('1 + return sum / 2')
    await pressUntil('a', /\? y: yes, any other key: no/)
    person.key('n')
    await person.see('nothing was done')
    await pressUntil('a', /\? y: yes, any other key: no/)
    person.key('y')
    await person.see(/Allowed once/)
    const [allowed] = await closed(1)
    expect(allowed?.decision).toMatchObject({ surface: 'cli' })

    person.resize(60, 24)
    await person.see(/^─+$/m)
    await person.see('All done.')
    person.key('p')
    await person.see('Prompt for 1')
    person.paste('Change the\nsecond line')
    await person.see('Change the⏎second line')
    person.key('Enter')
    await person.see('- the second')
    await pressUntil('D', /Deny; reason for the agent/)
    person.type('leave it alone')
    person.key('Enter')
    const ended = await closed(2)
    expect(ended.map(({ decision }) => decision?.note)).toContain('leave it alone')

    // A long request must be scrolled to its end before it can be allowed.
    person.key('p')
    await person.see('Prompt for 1')
    person.type('More rows')
    person.key('Enter')
    await person.see(/lines 1–\d+ of \d+/)
    await pressUntil('a', /Read the request to its end first/)
    await pressUntil('PageDown', /lines \d+–(\d+) of \1\b/)
    person.key('a')
    await person.see('any other key: no')
    person.key('y')
    await closed(3)

    person.key('Enter')
    await person.see('asks first')
    person.key('C-]')
    await person.see('back from 1')
    person.key('x')
    await person.see('Stop 1')
    person.key('y')
    await person.see('No sessions yet')
    person.key('q')
    await person.see(/\$$/)
    expect(person.format('#{alternate_on} #{mouse_any_flag} #{cursor_flag}')).toBe('0 0 1')
  })

  it('shows the log of a run, resumes one that failed, and cancels one that works', async () => {
    const [account, graph] = [join(home.work, 'account'), join(home.work, 'pay.dot')]
    // The demo agent asks for the money; then a command pays, or says why it cannot.
    const pay = `echo paying; test -f ${account} && sleep 600 || { echo no money >&2; exit 3; }`
    writeFileSync(
      graph,
      `digraph pay { goal="Pay the bill"; start [shape=Mdiamond]; exit [shape=Msquare]
        ask [shape=box, label="Ask", prompt="Ask for the money"]
        pay [shape=parallelogram, label="Pay", tool_command="${pay}"]
        start -> ask -> pay -> exit }`,
    )
    const { hash } = await executableFiles(graph, [])
    const args = ['run', graph, '--agent', 'demo', '--permissions', 'all', '--trust', hash, '--detach', '--json']
    await home.ok(args, { env: { SIGNALBOX_DEMO_SPEED: '0' } })
    person.resize(120, 30)
    person.run()
    await person.see(/failed +\d+\w run +.*Pay the bill/)
    await person.see('no money')
    person.key('Enter')
    const log = await person.see(/▸ Ask[\s\S]*▸ Pay\n[\s\S]*no money/)
    expect(log).toContain('any other key: back')
    person.key('q')
    await person.see('e resume · enter log')

    writeFileSync(account, '')
    person.key('e')
    await person.see('Resumed')
    await person.see(/working +\d+\w run +.*Pay the bill[\s\S]*Pay · 1 of 2 steps done/)
    person.key('e')
    await person.see('there is nothing to resume')
    person.key('x')
    await person.see(/Cancel .*\? It cannot be resumed/)
    person.key('n')
    await person.see('nothing was done')
    person.key('x')
    await person.see(/Cancel .*\? It cannot be resumed/)
    person.key('y')
    await person.see('Cancelled')
    await person.see('No sessions yet')
    const runs = await home.json<{ status: string }[]>(['runs', '--json'])
    expect(runs.map(({ status }) => status)).toEqual(['cancelled'])
    person.key('q')
    await person.see(/\$$/)
  })

  it('prints lines and accepts commands for screen readers', async () => {
    person.close()
    person = new TmuxTerminal(home, { name: 'b', cols: 100, rows: 30 })
    const session = await home.startDemo(['--scenario', 'chat'])
    person.run('watch', '--screen-reader')
    await person.see('Type help for the commands')
    await person.see(/idle: 1?\d, demo, /)
    person.type(`rename ${session.id} "read aloud"`)
    person.key('Enter')
    person.type('list')
    person.key('Enter')
    await person.see('read aloud')
    expect(person.format('#{alternate_on} #{mouse_any_flag}')).toBe('0 0')
    person.type('quit')
    person.key('Enter')
    await person.see(/read aloud[\s\S]*\n\$$/)
  })
})
