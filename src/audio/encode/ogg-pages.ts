/** Ogg: packets of one logical stream, framed in pages. RFC 3533. */

const headerBytes = 27
const segmentsMax = 255
const firstPage = 2
const lastPage = 4
/** A fixed number, so that the same sound gives the same bytes. */
const serialNumber = 0x536f6e61

export function createOggPages() {
  let pages = 0
  let packets: Uint8Array[] = []
  let segments: number[] = []

  return {
    /** Whether a packet of so many bytes ends within the open page. */
    fits: (bytes: number) => segments.length + segmentCount(bytes) <= segmentsMax,

    add(packet: Uint8Array): void {
      packets.push(packet)
      segments.push(
        ...new Array<number>(segmentCount(packet.length) - 1).fill(segmentsMax),
        packet.length % segmentsMax,
      )
    },

    /** Returns the page of the packets since the last one. `granulePosition`: samples until its end. */
    end({ granulePosition, last = false }: { granulePosition: number; last?: boolean }): Uint8Array {
      const bodyBytes = packets.reduce((sum, { length }) => sum + length, 0)
      const page = new Uint8Array(headerBytes + segments.length + bodyBytes)
      const view = new DataView(page.buffer)
      page.set(new TextEncoder().encode('OggS'))
      page[5] = (pages === 0 ? firstPage : 0) | (last ? lastPage : 0)
      view.setBigUint64(6, BigInt(granulePosition), true)
      view.setUint32(14, serialNumber, true)
      view.setUint32(18, pages, true)
      page[26] = segments.length
      page.set(segments, headerBytes)
      let at = headerBytes + segments.length
      for (const packet of packets) {
        page.set(packet, at)
        at += packet.length
      }
      view.setUint32(22, crc32(page), true)
      pages++
      packets = []
      segments = []
      return page
    },
  }
}

/** Segments of 255 bytes, and a shorter one that ends the packet. */
function segmentCount(bytes: number): number {
  return Math.floor(bytes / segmentsMax) + 1
}

/** CRC-32 of Ogg: the polynomial of Ethernet, but not reflected and without inversion. */
const crcTable = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte << 24
  for (let bit = 0; bit < 8; bit++) crc = crc & 0x8000_0000 ? (crc << 1) ^ 0x04c1_1db7 : crc << 1
  return crc
})

function crc32(bytes: Uint8Array): number {
  let crc = 0
  for (let i = 0; i < bytes.length; i++) crc = (crc << 8) ^ crcTable[(crc >>> 24) ^ bytes[i]!]!
  return crc >>> 0
}
