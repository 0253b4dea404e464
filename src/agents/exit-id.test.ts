import { describe, expect, it } from 'vitest'
import { exitIdAfter } from './exit-id.js'
import { isUuid } from './own-session.js'

const ID = '0a1b2c3d-0000-4000-8000-00000000000a'
const OTHER = '0a1b2c3d-0000-4000-8000-00000000000b'

describe('exitIdAfter', () => {
  it('finds the id after the resume command', () => {
    expect(exitIdAfter(['To continue this session, run', `qwen --resume ${ID}`], ['qwen', '--resume'], isUuid)).toBe(ID)
    expect(exitIdAfter([`  Resume     copilot --resume=${ID}`], ['copilot', '--resume'], isUuid)).toBe(ID)
  })

  it('finds the id on the next row, inside a frame', () => {
    const rows = ['╭────╮', '│  To resume this session: gemini --resume   │', `│  ${ID}   │`, '╰────╯']
    expect(exitIdAfter(rows, ['gemini', '--resume'], isUuid)).toBe(ID)
  })

  it('takes the last id, and only a text in the form of an id', () => {
    const rows = [`earlier it said: qwen --resume ${OTHER}`, `qwen --resume ${ID}`]
    expect(exitIdAfter(rows, ['qwen', '--resume'], isUuid)).toBe(ID)
    expect(exitIdAfter(['try qwen --resume latest'], ['qwen', '--resume'], isUuid)).toBeNull()
    expect(exitIdAfter(['qwen --resume'], ['qwen', '--resume'], isUuid)).toBeNull()
    expect(exitIdAfter([], ['qwen', '--resume'], isUuid)).toBeNull()
  })
})
