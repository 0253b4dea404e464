/**
 * The keeper's socket protocol: packets of a 4-byte big-endian length, one byte for the kind, and
 * the payload. Control messages are JSON. Terminal bytes are sent raw after a small header, so that
 * a megabyte of output costs a copy and no encoding.
 */
import type { KeeperDeadline, KeptExit, RecordingFailure, SpawnRequest } from './port.js'

export const WIRE_VERSION = 1
const PACKET_MAX_BYTES = 16 * 1024 * 1024

const KIND_JSON = 0
const KIND_OUTPUT = 1
const KIND_INPUT = 2
const OUTPUT_HEADER = 4 + 8 + 8

export type KeeperRequest =
  | { op: 'hello'; version: number }
  | { op: 'spawn'; request: SpawnRequest }
  | { op: 'list' }
  | { op: 'attach'; id: string; fromOffset: number; channel: number }
  | { op: 'locate'; id: string; offset: number }
  | { op: 'detach'; channel: number }
  | { op: 'open-input'; id: string; channel: number }
  | { op: 'resize'; id: string; cols: number; rows: number }
  | { op: 'signal'; id: string; signal: NodeJS.Signals }
  | { op: 'mark'; id: string; label: string }
  | { op: 'forget'; id: string }
  | { op: 'secret' }
  | { op: 'deadline'; deadline: KeeperDeadline }

export interface KeeperWelcome {
  version: number
  pid: number
}

export type KeeperReply =
  | { reply: number; ok: true; value?: unknown }
  | { reply: number; ok: false; code: string; message: string }

export type KeeperNotice =
  | { notice: 'resized'; channel: number; cols: number; rows: number; t: number }
  | { notice: 'exited'; channel: number; exit: KeptExit }
  | { notice: 'lagging'; channel: number; offset: number }
  | { notice: 'unrecorded'; channel: number; failure: RecordingFailure }

export type KeeperPacket =
  | { kind: 'json'; message: Record<string, unknown> }
  | { kind: 'output'; channel: number; t: number; offset: number; bytes: Uint8Array }
  | { kind: 'input'; channel: number; bytes: Uint8Array }

export function encodeJson(message: object): Buffer {
  const body = Buffer.from(JSON.stringify(message))
  return Buffer.concat([header(KIND_JSON, body.length), body])
}

export function encodeOutput(channel: number, t: number, offset: number, bytes: Uint8Array): Buffer {
  const head = header(KIND_OUTPUT, OUTPUT_HEADER + bytes.length, OUTPUT_HEADER)
  head.writeUInt32BE(channel, 5)
  head.writeDoubleBE(t, 9)
  head.writeDoubleBE(offset, 17)
  return Buffer.concat([head, bytes])
}

export function encodeInput(channel: number, bytes: Uint8Array): Buffer {
  const head = header(KIND_INPUT, 4 + bytes.length, 4)
  head.writeUInt32BE(channel, 5)
  return Buffer.concat([head, bytes])
}

function header(kind: number, length: number, extra = 0): Buffer {
  const head = Buffer.alloc(5 + extra)
  head.writeUInt32BE(length, 0)
  head.writeUInt8(kind, 4)
  return head
}

/** Chunks → complete packets. An impossible packet is an error: another protocol. */
export class PacketReader {
  #rest: Buffer = Buffer.alloc(0)

  push(chunk: Uint8Array): KeeperPacket[] {
    this.#rest = this.#rest.length === 0 ? Buffer.from(chunk) : Buffer.concat([this.#rest, chunk])
    const packets: KeeperPacket[] = []
    let at = 0
    while (this.#rest.length - at >= 5) {
      const length = this.#rest.readUInt32BE(at)
      if (length > PACKET_MAX_BYTES) throw new Error(`packet of ${length} bytes`)
      if (this.#rest.length - at < 5 + length) break
      packets.push(decode(this.#rest.readUInt8(at + 4), this.#rest.subarray(at + 5, at + 5 + length)))
      at += 5 + length
    }
    // A copy, so that an incomplete packet does not keep a large chunk alive.
    this.#rest = at === this.#rest.length ? Buffer.alloc(0) : Buffer.from(this.#rest.subarray(at))
    return packets
  }
}

function decode(kind: number, body: Buffer): KeeperPacket {
  switch (kind) {
    case KIND_JSON:
      return { kind: 'json', message: messageOf(JSON.parse(body.toString('utf8'))) }
    case KIND_OUTPUT:
      return {
        kind: 'output',
        channel: body.readUInt32BE(0),
        t: body.readDoubleBE(4),
        offset: body.readDoubleBE(12),
        bytes: body.subarray(OUTPUT_HEADER),
      }
    case KIND_INPUT:
      return { kind: 'input', channel: body.readUInt32BE(0), bytes: body.subarray(4) }
    default:
      throw new Error(`packet of unknown kind ${kind}`)
  }
}

function messageOf(value: unknown): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Error('the message is not an object')
  return value as Record<string, unknown>
}
