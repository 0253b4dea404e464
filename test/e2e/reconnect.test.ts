import { afterAll, beforeAll, expect, test } from 'vitest'
import { isRunning, type SessionInfo, waitFor } from './harness.js'
import { InsideHome } from './inside.js'

let home: InsideHome
beforeAll(async () => {
  home = new InsideHome()
  await home.ok(['serve', '--background'])
})
afterAll(() => home.close())

/** What a command has printed so far. */
function printed(args: string[]) {
  const child = home.start(args)
  let text = ''
  child.stdout!.on('data', chunk => {
    text += String(chunk)
  })
  return { child, text: () => text }
}

test.each([['--json'], ['--plain'], ['--raw']])(
  'watch %s continues with the next daemon after a daemon died',
  async form => {
    const before = await home.startProgram('sh', '-c', 'exec sleep 601')
    const watch = printed(['watch', '--sessions', form])
    /** A program reads the id, a person the number. */
    const shows = ({ id, number }: SessionInfo) =>
      form === '--json' ? watch.text().includes(id) : new RegExp(`(^|\\s)${number}\\s`, 'm').test(watch.text())
    await waitFor('the first session', () => shows(before), 30_000)
    await home.kill(home.daemon)
    await home.ok(['serve', '--background'])
    const after = await home.startProgram('sh', '-c', 'exec sleep 602')
    await waitFor('the second session', () => shows(after), 30_000)
    watch.child.kill('SIGKILL')
    for (const { id } of [before, after]) await home.ok(['stop', id])
  },
)

test('watch ends with a reason when the daemon was stopped and none replaces it', async () => {
  const watch = home.start(['watch', '--sessions', '--json'])
  await new Promise<void>(resolve => watch.stdout!.once('data', () => resolve()))
  const ended = home.finish(watch)
  await home.ok(['serve', '--stop'])
  const { code, stderr } = await ended
  expect([code === 0, stderr.includes('the daemon has stopped')]).toEqual([false, true])
  expect(isRunning(watch.pid!)).toBe(false)
})
