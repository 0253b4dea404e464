import { describe, expect, test } from 'vitest'
import { parsePack } from '../screen/index.js'
import { PaneScreen } from './pane-screen.js'

const ON = '\u001b[?2004h'
const OFF = '\u001b[?2004l\r\n'

function screen() {
  const pane = new PaneScreen(parsePack('pack = 1\nagent = "generic"\n', 'generic'), { cols: 60, rows: 10 })
  return (text: string, t: number) => {
    pane.feed(Buffer.from(text), t, { live: false })
    pane.endFrame(t + 0.05)
    const { observation, isSettled } = pane.last!
    return `${observation.view} ${observation.rule}${isSettled ? '' : ' unsettled'}`
  }
}

describe('the line editor of a shell', () => {
  test('marks a prompt as the output of a command while it is off', () => {
    const show = screen()
    expect(show(`${ON}me@here:~$ `, 0)).toContain('idle_prompt')
    expect(show(`sleep 3${OFF}`, 1)).toContain('tool_running')
    expect(show('me@here:~$ ', 2)).toBe('tool_running generic/line-editor-off')
    expect(show(`\r\n${ON}me@here:~$ `, 3)).toBe('idle_prompt generic/prompt.shell')
  })

  test('may be missing in an inner shell, whose prompts still count', () => {
    const show = screen()
    show(`${ON}me@here:~$ `, 0)
    show(`sh${OFF}`, 1)
    expect(show('inner-machine:/tmp$ ', 2)).toContain('idle_prompt')
  })

  test('leaves the decision to the text if it was never seen', () => {
    const show = screen()
    expect(show('me@here:~$ ', 0)).toContain('idle_prompt')
    show('sleep 3\r\n', 1)
    expect(show('me@here:~$ ', 2)).toContain('idle_prompt')
  })
})
