import Foundation
import Testing
import TrendyModels

@Suite("Import of location histories and workouts", .waitsForPrograms, .timeLimit(.minutes(10)))
struct JourneyImportTests {
  private let bench: Workbench

  init() throws {
    bench = try Workbench()
    try bench.trendy("init")
  }

  private func path(_ name: String) -> String { bench.folder.appending(path: name).path }

  @discardableResult
  private func file(_ name: String, _ text: String) throws -> String {
    let url = URL(filePath: path(name))
    try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: url)
    return url.path
  }

  private func listed() throws -> [String] {
    try bench.trendy("list", "--plain").output.split(separator: "\n").map(String.init)
  }

  private func undoImport() throws {
    let id = try bench.trendy("import", "list", "--plain").output.split(separator: "\t").first.map(String.init)
    let undone = try bench.trendy("import", "undo", try #require(id))
    #expect(undone.status == 0, "\(undone.talk)")
  }

  private static let month = """
    {"timelineObjects":[
     {"placeVisit":{"location":{"latitudeE7":520907000,"longitudeE7":51214000,"placeId":"a","name":"Bakery"},
       "duration":{"startTimestamp":"2022-05-02T07:00:00Z","endTimestamp":"2022-05-02T07:30:00Z"}}},
     {"activitySegment":{"startLocation":{"latitudeE7":520907000,"longitudeE7":51214000},
       "endLocation":{"latitudeE7":523702000,"longitudeE7":48952000},"distance":38500,"activityType":"IN_PASSENGER_VEHICLE",
       "duration":{"startTimestamp":"2022-05-02T07:30:00Z","endTimestamp":"2022-05-02T08:00:00Z"},
       "simplifiedRawPath":{"points":[{"latE7":522000000,"lngE7":50000000,"accuracyMeters":10,"timestamp":"2022-05-02T07:40:00Z"}]}}}]}
    """

  /// Stay and trip from `month` in the phone's export format, with slightly different times and coordinates.
  private static let phone = """
    {"semanticSegments":[
     {"startTime":"2022-05-02T09:01:10.000+02:00","endTime":"2022-05-02T09:30:00.000+02:00",
      "visit":{"topCandidate":{"placeId":"other","placeLocation":{"latLng":"52.09075°, 5.12145°"}}}},
     {"startTime":"2022-05-02T09:30:20.000+02:00","endTime":"2022-05-02T10:00:05.000+02:00",
      "activity":{"start":{"latLng":"52.09071°, 5.12141°"},"end":{"latLng":"52.3702°, 4.8952°"},"distanceMeters":38400,
       "topCandidate":{"type":"IN_PASSENGER_VEHICLE"}}},
     {"startTime":"2022-05-02T11:00:00.000+02:00","endTime":"2022-05-02T11:20:00.000+02:00",
      "activity":{"start":{"latLng":"52.3702°, 4.8952°"},"topCandidate":{"type":"WALKING"}}}]}
    """

  @Test func `a Takeout archive is imported once, with its trips, and can be undone`() throws {
    try file("Takeout/Tijdlijn/2022/2022_MEI.json", Self.month)
    try file("Takeout/Tijdlijn/Settings.json", "{\"deviceSettings\":[]}")
    let first = try bench.trendy("import", path("Takeout"), "--json")
    #expect(try first.document.objectValue?["new"]?.objectValue?["event"] == 2, "\(first.talk)")
    #expect(try bench.trendy("trip", "list").output.contains("38.5 km"))
    #expect(try bench.trendy("list").output.contains("at Bakery"))
    #expect(try bench.trendy("track", "list").output.contains("path Google Timeline"))
    // The trip in the Timeline must not be detected a second time from the imported path.
    try bench.trendy("trip", "recompute")
    let again = try bench.trendy("import", path("Takeout"), "--json")
    #expect(try again.document.objectValue?["new"]?.objectValue?.isEmpty == true, "\(again.talk)")
    #expect(try listed().count == 2)
    try undoImport()
    #expect(try listed().isEmpty)
  }

  @Test func `events that the phone exports again are duplicates`() throws {
    try bench.trendy("import", try file("month.json", Self.month))
    let second = try bench.trendy("import", try file("Timeline.json", Self.phone), "--map", "walking=Walk", "--json")
    let answer = try second.document.objectValue
    #expect(answer?["new"]?.objectValue?["event"] == 1 && answer?["known"]?.intValue == 2, "\(second.talk)")
    #expect(try listed().count == 3)
    #expect(try bench.trendy("list").output.contains("Walk "))
  }

  @Test func `a drive in Records.json is a trip, and its entry in Timeline is a duplicate`() throws {
    let start = 1_651_476_600
    let entries = (0..<180).map { index in
      "{\"latitudeE7\":\(520_907_000 + index * 13_500),\"longitudeE7\":51214000,\"accuracy\":8,"
        + "\"timestampMs\":\"\(start + index * 10)000\"}"
    }
    try file("Takeout/A/Records.json", "{\"locations\":[\(entries.joined(separator: ","))]}")
    try file("Takeout/A/Months/2022_MAY.json", Self.month)
    let result = try bench.trendy("import", path("Takeout"), "--json")
    #expect(try result.document.objectValue?["found"] == 1, "\(result.talk)")
    let trips = try bench.trendy("trip", "list", "--plain").output.split(separator: "\n")
    #expect(trips.count == 1, "\(trips)")
  }

  @Test func `a file without the location history gets a hint on where to find it`() throws {
    let edits = try bench.trendy(
      "import", try file("Timeline Edits.json", "{\"timelineEdits\":[{\"deviceId\":\"1\"}]}"))
    #expect(edits.status == 65 && edits.talk.contains("on the phone"), "\(edits.talk)")
    let cut = try bench.trendy("import", try file("cut.json", String(Self.month.prefix(330))))
    #expect(cut.status == 65 && cut.talk.contains("truncated at line 5 after 1 complete point"), "\(cut.talk)")
  }

  // MARK: Workouts

  /// A ride of 2 km in half an hour with four positions, from 2026-02-26T00:26:40Z, in the FIT format. Created by hand
  /// from the published protocol.
  private static let fit = """
    DiBcCI0AAAAuRklUAABAAAAAAAQAAQABAoQDBIwEBIYABAEAYwAAAEBHAkRBAAAUAAP9BIYABIUBBIUBQEcCRPuDDCU6baADAZhJAkQvcBclOm2g\
    AwHwSwJEY1wiJTptoAMBSE4CRJdILSU6baADQgAAEgAG/QSGAgSGBQEABwSGCQSGCwKEAkhOAkRARwJEAkB3GwCAhB4ATQGrPg==
    """

  private static let tcx = """
    <TrainingCenterDatabase><Activities><Activity Sport="Biking"><Id>2026-02-26T00:27:00Z</Id>
    <Lap StartTime="2026-02-26T00:27:00Z"><TotalTimeSeconds>1790</TotalTimeSeconds><DistanceMeters>2010</DistanceMeters>
    <Track><Trackpoint><Time>2026-02-26T00:56:50Z</Time></Trackpoint></Track></Lap></Activity></Activities>
    </TrainingCenterDatabase>
    """

  @Test func `a ride from a watch is one workout with its track in any format, and not a trip`() throws {
    let ride = try #require(Data(base64Encoded: Self.fit))
    try ride.write(to: URL(filePath: path("ride.fit")))
    _ = try bench.shell("cd '\(bench.folder.path)'; gzip -k ride.fit")
    let first = try bench.trendy("import", path("ride.fit"), "--json")
    #expect(try first.document.objectValue?["new"]?.objectValue?["event"] == 1, "\(first.talk)")
    #expect(try first.document.objectValue?["fixes"]?.objectValue?["new"] == 4, "\(first.talk)")
    let list = try bench.trendy("list").output
    #expect(list.contains("workout") && list.contains("Cycling") && list.contains("30 min"), "\(list)")
    #expect(try bench.trendy("trip", "recompute").status == 0)
    #expect(try bench.trendy("trip", "list", "--plain").output.isEmpty)
    let out = try bench.trendy("export", "gpx", "--all").output
    #expect(out.components(separatedBy: "<trkpt").count == 5, "\(out)")
    // The compressed file, and the same ride exported by another program, are duplicates.
    for name in ["ride.fit.gz", try file("ride.tcx", Self.tcx)] {
      let again = try bench.trendy("import", name.hasPrefix("/") ? name : path(name), "--json")
      #expect(try again.document.objectValue?["known"] == 1, "\(again.talk)")
    }
    #expect(try listed().count == 1)
    try undoImport()
    #expect(try listed().isEmpty)
  }

  @Test func `a Strava archive imports each activity once, also beside the watch's own file`() throws {
    let ride = try #require(Data(base64Encoded: Self.fit))
    try file(
      "export/activities.csv",
      """
      Activity ID,Activity Date,Activity Name,Activity Type,Activity Description,Elapsed Time,Distance,Filename
      1,"Feb 26, 2026, 12:26:42 AM",Night ride,Ride,,1800,2,activities/1.fit.gz
      2,"Mar 1, 2026, 8:00:00 AM",Typed in,Yoga,,3600,0,
      """)
    try file("export/activities/1.fit", "")
    try ride.write(to: URL(filePath: path("export/activities/1.fit")))
    _ = try bench.shell(
      """
      cd '\(bench.folder.path)'; gzip export/activities/1.fit
      python3 -c 'import shutil; shutil.make_archive("strava", "zip", "export")'
      """)
    let first = try bench.trendy("import", path("strava.zip"), "--map", "yoga=Yoga", "--json")
    #expect(try first.document.objectValue?["format"] == "strava", "\(first.talk)")
    #expect(try first.document.objectValue?["new"]?.objectValue?["event"] == 2, "\(first.talk)")
    #expect(try first.document.objectValue?["fixes"]?.objectValue?["new"] == 4, "\(first.talk)")
    #expect(try bench.trendy("list").output.contains("Yoga"))
    let again = try bench.trendy("import", path("strava.zip"), "--map", "yoga=Yoga", "--json")
    #expect(try again.document.objectValue?["known"] == 2, "\(again.talk)")
    // The watch's file for the same ride starts two seconds earlier and is a duplicate.
    try bench.trendy("import", path("export/activities/1.fit.gz"))
    #expect(try listed().count == 2)
    try undoImport()
    #expect(try listed().isEmpty)
  }
}
