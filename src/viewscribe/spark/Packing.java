
/** Long texts in few bytes: Py4J sends 8 kB, and waits 40 ms for an answer before it sends more. */
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
}
