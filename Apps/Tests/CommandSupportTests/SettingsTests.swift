import CommandSupport
import Foundation
import Testing

@Suite("Settings")
final class SettingsTests {
  private let folder: URL

  init() throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "trendy-settings-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder.appending(path: "trendy"), withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }  // if this fails, only a temporary folder remains

  private func settings(_ text: String, _ environment: [String: String] = [:]) throws -> Settings {
    try Data(text.utf8).write(to: folder.appending(path: "trendy/config"))
    let base = ["XDG_CONFIG_HOME": folder.path, "HOME": "/home/ada"]
    return Settings(environment: base.merging(environment) { $1 })
  }

  @Test func `the home folder comes from the user database if the environment has none`() {
    #expect(HomeFolder.path(in: ["HOME": "/home/ada"]) == "/home/ada")
    let list = "root:x:0:0:root:/root:/bin/sh\nada:x:1000:1000:Ada,,,:/home/ada:/bin/bash\nx:x:7:7::relative:/bin/sh\n"
    #expect(HomeFolder.folder(of: 1000, in: list) == "/home/ada")
    #expect(HomeFolder.folder(of: 7, in: list) == nil)
    #expect(HomeFolder.folder(of: 100, in: list) == nil)
    // An empty or relative `HOME` must not make paths depend on the working directory.
    for home in ["", "here"] {
      let environment = ["HOME": home, "XDG_DATA_HOME": home, "XDG_CACHE_HOME": home]
      #expect(StoreLocation.store(option: nil, environment: environment).path.hasSuffix("/.local/share/trendy"))
      #expect(HomeFolder.path(in: environment).hasPrefix("/"))
      #expect(StoreLocation.cache(environment: environment).path.hasSuffix("/.cache/trendy"))
    }
  }

  @Test func `the environment overrides the file, which overrides synced values, which override the defaults`() throws {
    var all = try settings("hours = 12\n", ["TRENDY_HOURS": "24"])
    all.synced = ["hours": "12"]
    #expect(all.resolved(Setting.hours) == Settings.Resolved(text: "24", origin: .environment("TRENDY_HOURS")))
    all = try settings("\nhours = 12\n", ["TRENDY_HOURS": ""])
    all.synced = ["hours": "24"]
    let path = folder.appending(path: "trendy/config").path
    #expect(all.resolved(Setting.hours) == Settings.Resolved(text: "12", origin: .file(path: path, line: 2)))
    all = try settings("")
    all.synced = ["hours": "12", "list_limit": "3"]
    #expect(all.resolved(Setting.hours) == Settings.Resolved(text: "12", origin: .synced))
    // `list_limit` is a setting of the machine, so a synced value must be ignored.
    #expect(all.resolved(Setting.listLimit) == Settings.Resolved(text: "50", origin: .standard))
  }

  @Test func `a synced value that this version does not support is ignored and reported`() throws {
    var settings = try settings("")
    settings.synced = ["units": "furlongs", "hours": "12"]
    #expect(settings.text(Setting.units) == "metric" && settings.unusableSynced == ["units"])
  }

  @Test func `an environment variable with an invalid value is reported by name`() throws {
    let problems = try settings("", ["TRENDY_POLL": "often"]).problems
    #expect(problems.map(\.message) == ["TRENDY_POLL: The value 'often' is invalid for 'poll'"])
    #expect(problems.map(\.exit) == [.configuration])
  }

  @Test func `the stop duration of trips is a synced setting that one machine cannot override`() throws {
    var settings = try settings("", ["TRENDY_TRIPS_STOP": "15m"])
    settings.synced = ["trips.stop": "10m"]
    #expect(settings.resolved(Setting.tripStop) == Settings.Resolved(text: "10m", origin: .synced))
    #expect(settings.problems.count == 1 && settings.problems[0].message.hasPrefix("TRENDY_TRIPS_STOP: "))
    settings.synced = [:]
    #expect(settings.text(Setting.tripStop) == "5m")
  }

  @Test func `a path in the file may start with a tilde`() throws {
    #expect(try settings("store = ~/notes\n").text(Setting.store) == "/home/ada/notes")
    #expect(try settings("").text(Setting.store) == "/home/ada/.local/share/trendy")
  }

  @Test(
    "the locale determines whether the clock has 12 or 24 hours",
    arguments: [
      (["LANG": "en_US.UTF-8"], "12"), (["LANG": "en_GB.UTF-8"], "24"), (["LANG": "C.UTF-8"], "24"), ([:], "24"),
      (["LANG": "en_US.UTF-8", "LC_TIME": "de_DE"], "24"), (["LC_TIME": "en_US", "LC_ALL": "C"], "24"),
      (["LANG": "C", "LC_TIME": "en_IN@x"], "12"), (["LANG": "fr_CA.UTF-8"], "24"), (["LANG": "en_CA"], "12"),
    ])
  func hours(environment: [String: String], hours: String) throws {
    #expect(try settings("", environment).text(Setting.hours) == hours)
  }

  @Test(
    "distances are shown in the user's units",
    arguments: [
      (Units.metric, 999.4, "999 m"), (.metric, 999.6, "1.0 km"), (.metric, 12_345, "12.3 km"),
      (.imperial, 250, "820 ft"), (.imperial, 1609.344, "1.0 mi"), (.imperial, 12_345, "7.7 mi"),
      (.metric, -1500, "−1.5 km"),
    ])
  func lengths(units: Units, metres: Double, words: String) {
    #expect(units.length(metres) == words)
  }

  @Test func `speeds use the user's units, and extreme or precise distances are formatted`() {
    #expect(Units.metric.speed(10) == "36 km/h" && Units.imperial.speed(10) == "22 mph")
    #expect(Units.metric.distance(1e300) == "1e+300 m")
    #expect(
      Units.metric.distance(7451, decimals: 2) == "7.45 km" && Units.metric.distance(7001, decimals: 2) == "7.00 km")
  }

  @Test func `every setting has a unique key, a help text and a valid default`() throws {
    #expect(Set(Setting.keys).count == Setting.all.count)
    for spec in Setting.all {
      #expect(!spec.help.isEmpty)
      if let standard = spec.standard { #expect(try spec.canonical(standard) == standard) }
    }
  }
}
