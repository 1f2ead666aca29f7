// Cutting a replay into its gzip members and inflating one of them.

/**
 * Where the gzip member that begins at `start` ends, or `null` while that can't be said: its header is not all
 * there yet, or its size is still 0 because it is being written.
 * Throws when no member of a replay begins there.
 */
export function memberEnd(bytes, start, size) {
  const at = (offset) => bytes[start + offset];
  if (size - start < 20) return null;
  if (at(0) !== 0x1f || at(1) !== 0x8b || at(2) !== 8 || !(at(3) & 4)) throw new Error("this is not a replay");
  let field = 12;
  const last = field + at(10) + 256 * at(11);
  while (field + 4 <= last) {
    const length = at(field + 2) + 256 * at(field + 3);
    if (at(field) === 0x4b && at(field + 1) === 0x48 && length === 4) {
      const whole = new DataView(bytes.buffer, bytes.byteOffset + start + field + 4, 4).getUint32(0, true);
      return whole === 0 ? null : start + whole;
    }
    field += 4 + length;
  }
  throw new Error("this gzip file is not a replay: its members do not say how long they are");
}

/**
 * The text of a gzip member. Of one that is `cut` (still being written, or never finished) as much as is there;
 * otherwise damage throws.
 */
export async function inflate(bytes, cut) {
  let text = "";
  const decoder = new TextDecoder();
  for await (const part of readParts(bytes, cut)) text += decoder.decode(part, {stream: true});
  return text;
}

/** The first line of a gzip member with its line break, or less when the member is cut before it. */
export async function firstLine(bytes) {
  let text = "";
  const decoder = new TextDecoder();
  for await (const part of readParts(bytes, true)) {
    text += decoder.decode(part, {stream: true});
    if (part.includes(10)) break;
  }
  return text.slice(0, text.indexOf("\n") + 1);
}

async function* readParts(bytes, cut) {
  const reader = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip")).getReader();
  try {
    for (;;) {
      let part;
      try {
        part = await reader.read();
      } catch (error) {
        if (cut) return; // what came before the cut has been given
        throw error;
      }
      if (part.done) return;
      yield part.value;
    }
  } finally {
    await reader.cancel().catch(() => {}); // a stream that failed can't be cancelled again, nor need it be
  }
}
