import CommandSupport
import Testing
import TrendyModels

@Suite("Unknown time zones", .timeLimit(.minutes(10)))
struct UnknownZoneTests {
  @Test(
    "POSIX rules and installed zones are known",
    arguments: [
      "UTC", "GMT", ":UTC", "EST5", "EST5EDT", "CET-1CEST,M3.5.0,M10.5.0/3", "abc+0", "<+03>-3", "<-0330>3:30",
      "<A1b>0", "",
    ])
  func known(name: String) {
    #expect(LocalTime.unknownZone(in: ["TZ": name, "TZDIR": "/nowhere"]) == nil)
  }

  @Test(
    "an unknown zone is reported by name",
    arguments: [
      "Nonsense", "Nowhere/City", "ES5", "EST", "EST+", "EST+-5", "5EST", "<+0>3", "<+03-3", "<+03>", "<é03>3", "E5T5",
      "日本語9", "<>5", "[abc]5", "@bc5",
    ])
  func unknown(name: String) {
    #expect(LocalTime.unknownZone(in: ["TZ": name, "TZDIR": "/nowhere"]) == name)
    #expect(LocalTime.unknownZone(in: ["TZ": ":" + name, "TZDIR": "/nowhere"]) == name)
  }

  @Test(
    "files that contain no zone are unknown",
    arguments: ["../../etc/passwd", "../../../etc/passwd", "/etc/passwd", "/"])
  func otherFiles(name: String) {
    #expect(LocalTime.unknownZone(in: ["TZ": name]) == name)
  }

  @Test func `without TZ no zone is reported`() { #expect(LocalTime.unknownZone(in: [:]) == nil) }
}
