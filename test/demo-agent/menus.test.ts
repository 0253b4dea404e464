import { afterEach, expect, it } from 'vitest'
import { DemoTerminal, KEY } from './terminal-harness.js'

let demo: DemoTerminal
afterEach(() => demo.close())

async function open(name: string, question: string, options: { columns?: number } = {}): Promise<void> {
  demo = new DemoTerminal({ args: ['--scenario', 'menus'], ...options })
  await demo.ask(name)
  await demo.until(question)
}

async function move(key: string, seen: string | RegExp): Promise<void> {
  demo.type(key)
  await demo.until(seen)
}

const ASPECT = 'Which aspect should it show?'

it.each([
  ['numbered', / ▸ 2\. Yellow/],
  ['plain', /^ ▸ Yellow/m],
  ['boxed', /^│ ▸ 2\. Yellow/m],
])('a %s menu is answered by arrow and enter', async (name, seen) => {
  await open(name, ASPECT)
  await move(KEY.down, seen)
  await demo.confirm('◆ You chose: Yellow')
})

it('a digit chooses and confirms at once', async () => {
  await open('numbered', ASPECT)
  demo.type('3')
  await demo.until('◆ You chose: Green')
})

it('a horizontal menu moves left and right', async () => {
  await open('horizontal', 'Run the points test?')
  demo.type(KEY.right)
  await demo.confirm('◆ You chose: Allow always')
})

it('check boxes are toggled by space and submitted by enter', async () => {
  await open('multi', 'Which lamps are out?')
  await move(' ', '1. [✔] Red')
  await move(KEY.down, / ▸ 2\. /)
  await move(KEY.down, / ▸ 3\. /)
  await move(' ', '3. [✔] Green')
  await demo.confirm('◆ You chose: Red, Green')
})

it('an option can accept text', async () => {
  await open('freetext', 'What is the station called?')
  await move(KEY.up, / ▸ 3\. Type another name/)
  await move('Eastgate 9', / ▸ 3\. Eastgate 9/)
  await demo.confirm('◆ You chose: Eastgate 9')
})

it('long labels wrap to the label column', async () => {
  await open('wrapped', 'How should late trains be handled?', { columns: 60 })
  expect(demo.rows.filter(row => /^ {6}\S/.test(row)).length).toBeGreaterThan(4)
  await move(KEY.down, / ▸ 2\. Let/)
  await demo.confirm('◆ You chose: Let the connecting')
})

it('details are shown in a second column', async () => {
  await open('columns', 'Which route should be set?')
  expect(demo.screen).toMatch(/^ {3}2\. Loop {7}waits for the express$/m)
  await move(KEY.down, / ▸ 2\. Loop/)
  await demo.confirm('◆ You chose: Loop')
})

it('a long list scrolls', async () => {
  await open('scrolling', 'Which platform?')
  expect(demo.screen).toContain('↓ 9 more')
  for (let n = 2; n <= 7; n++) await move(KEY.down, new RegExp(`^ ▸ Platform ${n}$`, 'm'))
  expect(demo.screen).toMatch(/↑ 4 more[\s\S]*↓ 5 more/)
  await demo.confirm('◆ You chose: Platform 7')
})

it('tabs lead through several questions to a page that submits the answers', async () => {
  await open('tabs', 'Which colour is the lamp?')
  await move(KEY.down, / ▸ 2\. Yellow/)
  await demo.confirm('What should be fitted?')
  expect(demo.screen).toContain('☒ Colour')
  await move(' ', '1. [✔] Bell')
  await demo.confirm('Which post?')
  await demo.confirm('Ready to submit your answers?')
  expect(demo.screen).toContain('• Colour: Yellow')
  await demo.confirm('◆ You chose: Yellow, Bell, Steel')
})

it('tab and left switch pages without answering', async () => {
  await open('tabs', 'Which colour is the lamp?')
  await move(KEY.tab, 'What should be fitted?')
  await move(KEY.right, 'Which post?')
  await move(KEY.left, 'What should be fitted?')
  expect(demo.screen).toContain('☐ Colour')
})

it('an inline question is the last row, with the cursor at its end', async () => {
  await open('inline', 'Throw the points? [y/N]')
  expect(demo.cursorRow).toBe('Throw the points? [y/N]')
  demo.type('y')
  await demo.confirm('◆ You chose: Yes')
})

it('a password is never shown', async () => {
  await open('password', 'Password for the lever frame:')
  demo.type('sesame')
  await demo.confirm('◆ You chose:')
  expect(demo.bytes).not.toContain('sesame')
})

it('a number can be typed where the menu has no selection', async () => {
  await open('typed', 'Type a number [1-3]')
  expect(demo.screen).not.toContain('▸')
  await move('2', 'cancel: 2')
  await demo.confirm('◆ You chose: Yellow')
})

it('a plan is shown completely before it is approved', async () => {
  await open('plan', 'Shall I go ahead with this plan?')
  expect(demo.screen).toContain('2. put up the post')
  await demo.confirm('◆ Then I begin: Yes, go ahead')
})

it('a quoted menu is text: the input box stays and receives the keys', async () => {
  demo = new DemoTerminal({ args: ['--scenario', 'menus'], rows: 60 })
  await demo.ask('quote')
  await demo.until('◈ Finished')
  expect(demo.screen.match(/Which aspect should it show\?/g)?.length).toBe(3)
  expect(demo.screen).toMatch(/^▷ What next\?$/m)
})

it('a picker that the person opens starts no turn', async () => {
  demo = new DemoTerminal({ args: ['--scenario', 'menus'] })
  await demo.ask('/model')
  await demo.until('Which model shall pretend')
  demo.type(KEY.escape)
  await demo.until('cancelled')
  expect(demo.screen).not.toContain('◈')
})
