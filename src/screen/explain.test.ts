import { describe, expect, it } from 'vitest'
import { frameFromText } from '../terminal/index.js'
import { explainFrame } from './explain.js'
import { parsePack } from './pack/parse-pack.js'

const PACK = parsePack(
  `pack = 1
agent = "test"
region = [{ name = "composer", kind = "box", top = '^─+$', body = '^>( |$)', bottom = '^─+$' }]
menus = [{ kind = "permission", question = '^May I', column = 1 }]

[[rule]]
id = "low"
view = "idle_prompt"
priority = 100
region = "footer"
line = 'hint'

[[rule]]
id = "high"
view = "error"
priority = 900
region = "transcript"
line = 'failed'
composer = "absent"

[[rule]]
id = "title"
view = "thinking"
priority = 100
region = "title"
line = '^busy'
`,
  'test.toml',
)
const RULE = '─'.repeat(40)
const MENU = ' May I go on?\n ❯ 1. Yes\n   2. No'

describe('explaining a frame', () => {
  it('lists regions from top to bottom and rules in order of evaluation, each with its reason', () => {
    const { regions, rules, menus } = explainFrame(
      { ...frameFromText(`it failed\n\n${RULE}\n> \n${RULE}\n  hint`), title: 'busy now' },
      PACK,
    )
    expect(regions.map(region => region.name)).toEqual(
      expect.arrayContaining(['screen', 'transcript', 'composer', 'live', 'footer']),
    )
    expect(regions.find(region => region.name === 'composer')).toMatchObject({
      rows: [2, 4],
      text: `${RULE}\n>\n${RULE}`,
    })
    expect(rules).toEqual([
      { id: 'high', view: 'error', priority: 900, region: 'transcript', matched: false, why: 'the input box is live' },
      { id: 'title', view: 'thinking', priority: 100, region: 'title', matched: true, why: 'holds', text: 'busy now' },
      {
        id: 'low',
        view: 'idle_prompt',
        priority: 100,
        region: 'footer',
        matched: true,
        why: 'holds',
        rows: [5, 5],
        text: '  hint',
      },
    ])
    expect(menus).toEqual([])
  })

  it('shows a live menu with its proofs', () => {
    const [menu] = explainFrame(frameFromText(`${RULE}\n${MENU}`), PACK).menus
    expect(menu).toMatchObject({
      live: true,
      failed: null,
      proofs: expect.arrayContaining(['nothing-below', 'no-input-box', 'outside-transcript', 'pointer']),
    })
  })

  it('shows a quoted menu with the proof that failed', () => {
    const [menu] = explainFrame(frameFromText(`the agent said:\n${MENU}\n\n${RULE}\n> \n${RULE}`), PACK).menus
    expect(menu).toMatchObject({ live: false, failed: expect.stringMatching(/^(nothing-below|no-input-box):/) })
  })
})
