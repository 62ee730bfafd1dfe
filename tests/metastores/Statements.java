import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Runs statements in Hive itself: a directory of jars, a file of settings, a file of statements.
 *
 * <p>Hive 3 wants its classes in a URLClassLoader, which newer Javas have no more for a class path.
 */
public class Statements {
  public static void main(String[] arguments) throws Exception {
    ClassLoader loader = new URLClassLoader(jars(arguments[0]), ClassLoader.getPlatformClassLoader());
    Thread.currentThread().setContextClassLoader(loader);
    Class<?> state = loader.loadClass("org.apache.hadoop.hive.ql.session.SessionState");
    Class<?> kind = loader.loadClass("org.apache.hadoop.hive.conf.HiveConf");
    Object conf = kind.getConstructor(Class.class).newInstance(state);
    for (String line : Files.readAllLines(Path.of(arguments[1]))) {
      String[] parts = line.split("=", 2);
      kind.getMethod("set", String.class, String.class).invoke(conf, parts[0], parts[1]);
    }
    state.getMethod("start", kind).invoke(null, conf);
    Class<?> driver = loader.loadClass("org.apache.hadoop.hive.ql.Driver");
    for (String text : Files.readString(Path.of(arguments[2])).split(";\n")) {
      Object one = driver.getConstructor(kind).newInstance(conf);
      try {
        Object done = driver.getMethod("run", String.class).invoke(one, text);
        System.out.println(done + "\t" + text); // Hive 3 says here what failed, Hive 4 throws it
      } catch (InvocationTargetException error) {
        System.out.println(error.getCause() + "\t" + text);
      }
      driver.getMethod("close").invoke(one);
    }
    System.exit(0); // past the threads that Hive leaves behind
  }

  private static URL[] jars(String directory) throws IOException {
    List<URL> found = new ArrayList<>();
    try (var files = Files.list(Path.of(directory))) {
      for (Path each : (Iterable<Path>) files.sorted()::iterator) {
        // Hive's own jar goes first: it has a newer ANTLR in it than the one beside it.
        boolean first = each.getFileName().toString().startsWith("hive-exec");
        found.add(first ? 0 : found.size(), each.toUri().toURL());
      }
    }
    return found.toArray(new URL[0]);
  }
}
