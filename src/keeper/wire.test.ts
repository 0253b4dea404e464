import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { encodeInput, encodeJson, encodeOutput, type KeeperPacket, PacketReader } from './wire.js'

const channel = fc.integer({ min: 0, max: 2 ** 32 - 1 })
const bytes = fc.uint8Array({ maxLength: 300 })
const packet: fc.Arbitrary<{ sent: Buffer; read: KeeperPacket }> = fc.oneof(
  fc.dictionary(fc.string(), fc.jsonValue()).map(message => {
    const plain = JSON.parse(JSON.stringify(message)) as Record<string, unknown>
    return { sent: encodeJson(plain), read: { kind: 'json' as const, message: plain } }
  }),
  fc
    .tuple(channel, fc.double({ noNaN: true, min: 0, max: 1e9 }), fc.nat(Number.MAX_SAFE_INTEGER), bytes)
    .map(([on, t, offset, content]) => ({
      sent: encodeOutput(on, t, offset, content),
      read: { kind: 'output' as const, channel: on, t, offset, bytes: content },
    })),
  fc.tuple(channel, bytes).map(([on, content]) => ({
    sent: encodeInput(on, content),
    read: { kind: 'input' as const, channel: on, bytes: content },
  })),
)

function plain(packets: readonly KeeperPacket[]): KeeperPacket[] {
  return packets.map(one => ('bytes' in one ? { ...one, bytes: Uint8Array.from(one.bytes) } : one))
}

function packetOf(kind: number, body: string | Uint8Array, length = Buffer.from(body as string).length): Buffer {
  const head = Buffer.alloc(5)
  head.writeUInt32BE(length, 0)
  head.writeUInt8(kind, 4)
  return Buffer.concat([head, Buffer.from(body as string)])
}

describe('frames of the wire protocol', () => {
  test('are read as they were sent, however the stream is split', () => {
    fc.assert(
      fc.property(
        fc.array(packet, { maxLength: 8 }),
        fc.array(fc.integer({ min: 1, max: 200 }), { maxLength: 40 }),
        (packets, sizes) => {
          const stream = Buffer.concat(packets.map(({ sent }) => sent))
          const reader = new PacketReader()
          const read: KeeperPacket[] = []
          let at = 0
          for (const size of sizes) {
            // The owner reuses the memory of the chunk: nothing that was read may point into it.
            const chunk = Buffer.from(stream.subarray(at, at + size))
            read.push(...plain(reader.push(chunk)))
            at += size
          }
          read.push(...plain(reader.push(stream.subarray(at))))
          expect(read).toEqual(packets.map(one => one.read))
        },
      ),
    )
  })

  test('are read byte by byte', () => {
    const reader = new PacketReader()
    const stream = Buffer.concat([
      encodeJson({ a: 1 }),
      encodeOutput(3, 1.5, 7, Buffer.from('xy')),
      encodeInput(4, Buffer.alloc(0)),
    ])
    const read = [...stream].flatMap(byte => reader.push(Uint8Array.of(byte)))
    expect(plain(read)).toEqual([
      { kind: 'json', message: { a: 1 } },
      { kind: 'output', channel: 3, t: 1.5, offset: 7, bytes: new Uint8Array(Buffer.from('xy')) },
      { kind: 'input', channel: 4, bytes: new Uint8Array(0) },
    ])
  })

  test.each([
    ['too long', packetOf(0, '', 16 * 1024 * 1024 + 1)],
    ['of an unknown kind', packetOf(9, 'x')],
    ['not JSON', packetOf(0, '{')],
    ['JSON but not a message', packetOf(0, 'null')],
    ['a list', packetOf(0, '[1]')],
    ['a number', packetOf(0, '7')],
    ['output without its header', packetOf(1, 'abc')],
    ['input without its channel', packetOf(2, 'ab')],
  ])('are an error if they are %s', (_, sent) => {
    expect(() => new PacketReader().push(sent)).toThrow()
  })
})
