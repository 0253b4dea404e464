import { describe, expect, it } from 'vitest'
import { exitIdAfter } from './exit-id.js'
import { isUuid } from './own-session.js'

const ID = '0a1b2c3d-0000-4000-8000-00000000000a'
const OTHER = '0a1b2c3d-0000-4000-8000-00000000000b'

describe('the id on the last screen', () => {
  it('stands after the command that goes on with it', () => {
    expect(exitIdAfter(['To continue this session, run', `qwen --resume ${ID}`], ['qwen', '--resume'], isUuid)).toBe(ID)
    expect(exitIdAfter([`  Resume     copilot --resume=${ID}`], ['copilot', '--resume'], isUuid)).toBe(ID)
  })

  it('may stand on the next row, inside a frame', () => {
    const rows = ['╭────╮', '│  To resume this session: gemini --resume   │', `│  ${ID}   │`, '╰────╯']
    expect(exitIdAfter(rows, ['gemini', '--resume'], isUuid)).toBe(ID)
  })

  it('is the last one, and only something that looks like an id', () => {
    const rows = [`earlier it said: qwen --resume ${OTHER}`, `qwen --resume ${ID}`]
    expect(exitIdAfter(rows, ['qwen', '--resume'], isUuid)).toBe(ID)
    expect(exitIdAfter(['try qwen --resume latest'], ['qwen', '--resume'], isUuid)).toBeNull()
    expect(exitIdAfter(['qwen --resume'], ['qwen', '--resume'], isUuid)).toBeNull()
    expect(exitIdAfter([], ['qwen', '--resume'], isUuid)).toBeNull()
  })
})
