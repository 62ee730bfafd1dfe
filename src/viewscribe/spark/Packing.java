
/** Texts for Python. Long ones in few bytes: Py4J sends 8 kB, and waits 40 ms for an answer before it sends more. */
class Packing {
  private static final int SHORT = 8000;

  /** The text as it is, or deflated and in Base64. */
  static String pack(String text) {
    if (text.length() < SHORT) return text;
    java.io.ByteArrayOutputStream packed = new java.io.ByteArrayOutputStream();
    java.util.zip.Deflater level = new java.util.zip.Deflater(java.util.zip.Deflater.BEST_SPEED);
    try {
      java.util.zip.DeflaterOutputStream out =
          new java.util.zip.DeflaterOutputStream(packed, level);
      out.write(text.getBytes("UTF-8"));
      out.close();
    } catch (java.io.IOException never) {
      throw new IllegalStateException(never);
    } finally {
      level.end();
    }
    return java.util.Base64.getEncoder().encodeToString(packed.toByteArray());
  }

  /** Adds a text as JSON has it. */
  static void quote(StringBuilder out, String value) {
    out.append('"');
    for (int i = 0; i < value.length(); i++) {
      char c = value.charAt(i);
      if (c == '"' || c == '\\') {
        out.append('\\').append(c);
      } else if (c < 32 || Character.isSurrogate(c) || c == '\u2028' || c == '\u2029') {
        out.append("\\u").append(String.format("%04x", new Object[] {Integer.valueOf(c)}));
      } else {
        out.append(c);
      }
    }
    out.append('"');
  }
}
