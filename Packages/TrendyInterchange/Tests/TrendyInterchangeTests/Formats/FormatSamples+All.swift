/// Samples of every format that can be imported, by name of the format.
extension FormatSamples {
  static let samples: [String: [Sample]] = FormatTableTests.samplesOfAll.mapValues { [.file($0)] }
    .merging(more) { $0 + $1 }
    .merging(AppSamples.all.map { ($0.word, [.file($0.text, named: $0.file)]) }) { $0 + $1 }

  private static let more: [String: [Sample]] = [
    "csv": [
      .file(
        """
        type,start,end,note,amount,latitude,longitude
        Run,2026-03-01 08:00,2026-03-01 09:00,fine,5.5,52.1,5.1
        Run,2026-03-02 08:00,2026-03-02 09:00,so so,6.5,52.2,5.2
        Run,2026-03-03 08:00,2026-03-03 09:00,well,7.5,52.3,5.3
        Run,2026-03-04 08:00,2026-03-04 09:00,well,7.5,52.3,5.3
        """),
      .file(
        """
        Was;Datum;Uhrzeit;Dauer;Notiz
        Lauf;01.03.2026;08:00;1,5 h;gut
        Lauf;14.03.2026;09:00;30 min;müde
        Lauf;15.03.2026;09:00;1:10;-
        """),
      .file("Date,Coffee,Run\n2026-03-01,1,x\n2026-03-02,2,x\n2026-03-03,1,\n"),
      .file(
        """
        lat,lon,time
        52.1,5.1,2026-03-01T08:00:00Z
        52.2,5.1,2026-03-01T08:01:00Z
        52.3,5.1,2026-03-01T08:02:00Z
        """),
      .file(
        """
        id,type,start,end,all_day,note,source,external_id,title,place,latitude,longitude,time_zone,Property: size
        2f0c4d8e-1111-4222-8333-444455556666,Run,2026-03-01T08:00:00Z,2026-03-01T09:00:00Z,false,fine,manual,x,Morning,Park,52.1,5.1,Europe/Paris,5
        3f0c4d8e-1111-4222-8333-444455556666,Trip,2026-03-02,2026-03-04,true,,imported,,,,,,Europe/Paris,
        """),
    ],
    "ics": [
      .file(
        """
        BEGIN:VCALENDAR
        VERSION:2.0
        BEGIN:VEVENT
        UID:a
        DTSTART;TZID=Europe/Paris:20260105T090000
        DTEND;TZID=Europe/Paris:20260105T100000
        RRULE:FREQ=WEEKLY;COUNT=4
        EXDATE;TZID=Europe/Paris:20260112T090000
        RDATE;TZID=Europe/Paris:20260106T090000
        SUMMARY:Class
        CATEGORIES:School
        LOCATION:Room 1
        GEO:52.1;5.1
        DESCRIPTION:Bring books
        END:VEVENT
        BEGIN:VEVENT
        UID:a
        RECURRENCE-ID;TZID=Europe/Paris:20260119T090000
        DTSTART;TZID=Europe/Paris:20260119T110000
        DURATION:PT1H
        SUMMARY:Class
        END:VEVENT
        BEGIN:VEVENT
        UID:b
        DTSTART:20260201T090000Z
        SUMMARY:Dentist
        END:VEVENT
        END:VCALENDAR
        """)
    ],
    "timewarrior": [
      .file(
        """
        [{"id":2,"start":"20260301T080000Z","end":"20260301T093000Z","tags":["code","deep work"],"annotation":"merged"},
        {"id":1,"start":"20260302T080000Z","end":"20260302T093000Z","tags":["code"]}]
        """)
    ],
    "watson": [
      .file(
        """
        [{"id":"0123456789abcdef0123456789abcdef","project":"trendy","start":"2026-03-01T08:00:00+01:00",
        "stop":"2026-03-01T09:00:00+01:00","tags":["swift"]}]
        """)
    ],
    "google-timeline": [.file(JourneySamples.ios)],
    "apple-health": [
      .file(
        """
        <HealthData locale="en_NL">
        <Record type="HKQuantityTypeIdentifierBodyMass" sourceName="Scale" unit="kg" startDate="2026-03-01 08:00:00 +0100" endDate="2026-03-01 08:00:00 +0100" value="80.5"/>
        <Record type="HKQuantityTypeIdentifierHeartRate" sourceName="Watch" unit="count/min" startDate="2026-03-01 08:00:00 +0100" endDate="2026-03-01 08:00:00 +0100" value="60"/>
        </HealthData>
        """)
    ],
    "fit": [.file(FITFixture.run().file())],
    "gpx": [
      .file(
        """
        <?xml version="1.0"?><gpx version="1.1" creator="x"><trk><name>Home</name><trkseg>
        <trkpt lat="52.1" lon="5.1"><ele>4.5</ele><time>2026-03-01T08:00:00Z</time></trkpt>
        <trkpt lat="52.2" lon="5.2"><time>2026-03-01T08:01:00Z</time></trkpt>
        </trkseg></trk><wpt lat="52.3" lon="5.3"><name>Bridge</name></wpt></gpx>
        """)
    ],
    "kml": [
      .file(
        """
        <?xml version="1.0"?><kml xmlns="http://www.opengis.net/kml/2.2"><Document>
        <Placemark><TimeStamp><when>2026-03-01T08:00:00Z</when></TimeStamp><Point><coordinates>5.1,52.1</coordinates></Point></Placemark>
        <Placemark><TimeStamp><when>2026-03-01T08:01:00Z</when></TimeStamp><Point><coordinates>5.2,52.2</coordinates></Point></Placemark>
        <Placemark><LineString><coordinates>5.1,52.1 5.2,52.2</coordinates></LineString></Placemark>
        </Document></kml>
        """)
    ],
    "geojson": [
      .file(
        """
        {"type":"FeatureCollection","features":[
        {"type":"Feature","geometry":{"type":"Point","coordinates":[5.1,52.1]},"properties":{"timestamp":"2026-03-01T08:00:00Z"}},
        {"type":"Feature","geometry":{"type":"Point","coordinates":[5.2,52.2]},"properties":{"timestamp":"2026-03-01T08:01:00Z"}}]}
        """)
    ],
    "nmea": [
      .file(
        """
        $GPRMC,093756.00,A,1054.53299,S,03703.13400,W,,,181114,,,A*56
        $GPRMC,093807.00,A,1054.53298,S,03703.13400,W,,,181114,,,A*5C
        """)
    ],
    "overland": [
      .file(
        """
        {"locations":[{"type":"Feature","geometry":{"type":"Point","coordinates":[5.1,52.1]},
        "properties":{"timestamp":"2026-03-01T08:00:00Z","horizontal_accuracy":5,"speed":1,"altitude":4,"motion":["walking"]}},
        {"type":"Feature","geometry":{"type":"Point","coordinates":[5.2,52.1]},
        "properties":{"timestamp":"2026-03-01T08:01:00Z"}}]}
        """)
    ],
    "owntracks": [
      .file(
        """
        {"_type":"location","tst":1772352000,"lat":52.1,"lon":5.1,"acc":5,"alt":4}
        {"_type":"location","tst":1772352060,"lat":52.2,"lon":5.1}
        """)
    ],
    "owntracks-rec": [
      .file(
        "2026-03-01T08:00:01Z\t*                 \t{\"_type\":\"location\",\"lat\":52.1,\"lon\":5.1,\"tst\":1772352000}\n"
          + "2026-03-01T08:01:01Z\t*                 \t{\"_type\":\"location\",\"lat\":52.2,\"lon\":5.2,\"tst\":1772352060}\n"
      )
    ],
    "loop": [.archive(loop), .archive(oldLoop)],
    "daylio-backup": [.archive(["backup.daylio": daylio])],
    "strava": [
      .archive([
        "activities.csv": [
          StravaTests.header(StravaTests.english, energy: "Calories"),
          StravaTests.row(
            ["1234", "Mar 4, 2026, 3:02:05 PM", "Morning", "Ride", "wet", "1830", "9.10"], file: "activities/1234.gpx",
            exact: ["1830.0", "1700.0", "9105.2"]),
          StravaTests.row(
            ["1235", "Mar 14, 2026, 3:02:05 PM", "By hand", "Ride", "", "60", "1.5"], file: "", exact: ["", "", ""]),
        ].joined(separator: "\n"),
        "activities/1234.gpx": StravaTests.gpx,
      ])
    ],
    "dawarich": [
      .archive([
        "manifest.json": "{\"format_version\":2,\"dawarich_version\":\"1.0\",\"counts\":{}}",
        "points/2026/2026-03.jsonl": DawarichTests.point, "visits/2026/2026-03.jsonl": DawarichTests.visit,
      ])
    ],
    "zip": [
      .archive([
        "a.csv": "type,start,note\nRun,2026-03-01 08:00,fine\nRun,2026-03-02 08:00,well\n",
        "b.gpx": """
        <gpx version="1.1" creator="x"><trk><trkseg><trkpt lat="52.1" lon="5.1"><time>2026-03-01T08:00:00Z</time></trkpt>
        </trkseg></trk></gpx>
        """,
        "c.txt": "a letter\n",
      ])
    ],
  ]
}
