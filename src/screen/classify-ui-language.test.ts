import { describe, expect, it } from 'vitest'
import { frameFromText } from '../terminal/index.js'
import { classify } from './classify.js'
import { explainFrame } from './explain.js'
import { initialMemory } from './memory.js'
import { parsePack } from './pack/parse-pack.js'

const RULE = '─'.repeat(40)
const pack = (locale: string) =>
  parsePack(
    `pack = 1
agent = "test"
locale = "${locale}"
region = [{ name = "composer", kind = "box", top = '^─+$', body = '^>( |$)', bottom = '^─+$' }]

[[rule]]
id = "words"
view = "thinking"
region = "transcript"
line = 'working on it'
busy = true

[[rule]]
id = "spinner"
view = "thinking"
region = "transcript"
line = '^[⠋⠙] '
busy = true
structural = true
`,
    'test.toml',
  )
const screen = (said: string, footer: string) => frameFromText(`${said}\n\n${RULE}\n> \n${RULE}\n  ${footer}`)
const busy = (said: string, footer: string, locale = 'en') =>
  classify(screen(said, footer), initialMemory(), pack(locale)).observation.busy

describe('an interface in another language', () => {
  it("turns the pack's words into ordinary text; only language-independent rules apply", () => {
    expect(busy('he is working on it', 'enter to send')).toBe(true)
    expect(busy('he is working on it', '按 Enter 发送消息')).toBe(false)
    expect(busy('⠋ 正在思考', '按 Enter 发送消息')).toBe(true)
  })

  it('is recognised only by the hints below the input box: answers may be in any language', () => {
    expect(busy('好的，我正在处理\nworking on it', 'enter to send')).toBe(true)
  })

  it('is not assumed if the pack is written for it; key names and paths are Latin everywhere', () => {
    expect(busy('working on it', '按 Enter 发送消息', 'zh')).toBe(true)
    expect(busy('working on it', '~/src/app  ctrl+c', 'zh-CN')).toBe(true)
  })

  it('is the reason that `explain` gives', () => {
    const { rules } = explainFrame(screen('working on it', 'нажмите Enter'), pack('en'))
    expect(rules.find(rule => rule.id === 'words')).toMatchObject({
      matched: false,
      why: 'the interface is not in en',
    })
  })
})
