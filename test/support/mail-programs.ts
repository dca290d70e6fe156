/*
 * Mails as ten programs write them: the order of their headers, the boundaries, the way in which they write names, and what they add.
 * Each has `SENDER` as its sender.
 */

export const SENDER = "ada@sender.test";

const PDF = btoa("%PDF-1.4\n1 0 obj<<>>endobj\ntrailer<<>>\n%%EOF\n");
/** A PNG of one pixel. */
const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const HEIC = btoa("\x00\x00\x00\x18ftypheic\x00\x00\x00\x00mif1heic and the picture");
const TNEF = btoa("\x78\x9f\x3e\x22 the attachments of Outlook in one file");

export interface Program {
  name: string;
  raw: string;
  /** The names of the documents, in their order. */
  names: string[];
}

export const PROGRAMS: readonly Program[] = [
  {
    name: "Outlook, with winmail.dat and the logo of a signature",
    raw: `Received: from mail.sender.test (mail.sender.test [192.0.2.1])
	by mx.example.test; Mon, 30 Nov 2026 08:00:00 +0000
From: "Lovelace, Ada" <${SENDER}>
To: "Lighthouse" <in@in.workspace.test>
Subject: Plan of the east pier
Thread-Topic: Plan of the east pier
Thread-Index: AdsR1Zs=
Date: Mon, 30 Nov 2026 08:00:00 +0100
Message-ID: <VI1PR07MB1234@VI1PR07MB1234.eurprd07.prod.outlook.com>
Accept-Language: en-GB, de-DE
Content-Language: en-GB
X-MS-Has-Attach: yes
X-MS-TNEF-Correlator:
Content-Type: multipart/mixed;
	boundary="_004_VI1PR07MB1234_"
MIME-Version: 1.0

--_004_VI1PR07MB1234_
Content-Type: multipart/related;
	boundary="_003_VI1PR07MB1234_";
	type="multipart/alternative"

--_003_VI1PR07MB1234_
Content-Type: multipart/alternative;
	boundary="_000_VI1PR07MB1234_"

--_000_VI1PR07MB1234_
Content-Type: text/plain; charset="iso-8859-1"
Content-Transfer-Encoding: quoted-printable

The plan, as promised. Gr=FC=DFe

--_000_VI1PR07MB1234_
Content-Type: text/html; charset="iso-8859-1"
Content-Transfer-Encoding: quoted-printable

<html><body>The plan, as promised.<br><img src=3D"cid:image001.png@01DB42.A1B2C3D0"></body></html>

--_000_VI1PR07MB1234_--

--_003_VI1PR07MB1234_
Content-Type: image/png; name="image001.png"
Content-Description: image001.png
Content-Disposition: inline; filename="image001.png"; size=70;
	creation-date="Mon, 30 Nov 2026 07:59:00 GMT"
Content-ID: <image001.png@01DB42.A1B2C3D0>
Content-Transfer-Encoding: base64

${PIXEL}

--_003_VI1PR07MB1234_--

--_004_VI1PR07MB1234_
Content-Type: application/pdf; name="Plan Ost.pdf"
Content-Description: Plan Ost.pdf
Content-Disposition: attachment; filename="Plan Ost.pdf"; size=41
Content-Transfer-Encoding: base64

${PDF}

--_004_VI1PR07MB1234_
Content-Type: application/ms-tnef; name="winmail.dat"
Content-Transfer-Encoding: base64

${TNEF}

--_004_VI1PR07MB1234_--
`,
    names: ["Plan Ost.pdf", "winmail.dat", "Plan of the east pier.eml"],
  },
  {
    name: "Apple Mail, with a file between two texts",
    raw: `From: Ada Lovelace <${SENDER}>
Content-Type: multipart/alternative;
	boundary="Apple-Mail=_6F1B2C3D"
Mime-Version: 1.0 (Mac OS X Mail 16.0 \\(3826.200.121\\))
Subject: =?utf-8?Q?Fl=C3=BCgel_links?=
Message-Id: <6F1B2C3D-0000-4B1E-9C11-AAAAAAAAAAAA@sender.test>
Date: Mon, 30 Nov 2026 08:00:00 +0100
To: in@in.workspace.test
X-Mailer: Apple Mail (2.3826.200.121)

--Apple-Mail=_6F1B2C3D
Content-Transfer-Encoding: 7bit
Content-Type: text/plain;
	charset=us-ascii

Before and after.

--Apple-Mail=_6F1B2C3D
Content-Type: multipart/mixed;
	boundary="Apple-Mail=_7A2B3C4D"

--Apple-Mail=_7A2B3C4D
Content-Transfer-Encoding: 7bit
Content-Type: text/html;
	charset=us-ascii

<html><body>Before</body></html>
--Apple-Mail=_7A2B3C4D
Content-Disposition: inline;
	filename*=utf-8''Fl%C3%BCgel.pdf
Content-Type: application/pdf;
	x-unix-mode=0644;
	name="=?utf-8?Q?Fl=C3=BCgel=2Epdf?="
Content-Transfer-Encoding: base64

${PDF}
--Apple-Mail=_7A2B3C4D
Content-Transfer-Encoding: 7bit
Content-Type: text/html;
	charset=us-ascii

<html><body>and after.</body></html>
--Apple-Mail=_7A2B3C4D--

--Apple-Mail=_6F1B2C3D--
`,
    names: ["Flügel.pdf", "Flügel links.eml"],
  },
  {
    name: "Gmail",
    raw: `MIME-Version: 1.0
From: Ada Lovelace <${SENDER}>
Date: Mon, 30 Nov 2026 08:00:00 +0100
Message-ID: <CAJx1234567890abcdef@mail.gmail.com>
Subject: Two pages
To: in@in.workspace.test
Content-Type: multipart/mixed; boundary="000000000000c0ffee0627"

--000000000000c0ffee0627
Content-Type: multipart/alternative; boundary="000000000000c0ffed0625"

--000000000000c0ffed0625
Content-Type: text/plain; charset="UTF-8"

See attached.

--000000000000c0ffed0625
Content-Type: text/html; charset="UTF-8"

<div dir="ltr">See attached.</div>

--000000000000c0ffed0625--
--000000000000c0ffee0627
Content-Type: application/pdf; name="page.pdf"
Content-Disposition: attachment; filename="page.pdf"
Content-Transfer-Encoding: base64
Content-ID: <f_m4abcdef0>
X-Attachment-Id: f_m4abcdef0

${PDF}
--000000000000c0ffee0627
Content-Type: application/pdf; name="page.pdf"
Content-Disposition: attachment; filename="page.pdf"
Content-Transfer-Encoding: base64
Content-ID: <f_m4abcdef1>
X-Attachment-Id: f_m4abcdef1

${PDF}
--000000000000c0ffee0627--
`,
    names: ["page.pdf", "page (2).pdf", "Two pages.eml"],
  },
  {
    name: "Thunderbird, with a forwarded mail and an S/MIME signature",
    raw: `Message-ID: <5f1c2d3e-4b5a-6978-8a9b-0c1d2e3f4a5b@sender.test>
Date: Mon, 30 Nov 2026 08:00:00 +0100
MIME-Version: 1.0
User-Agent: Mozilla Thunderbird
Content-Language: en-US
To: in@in.workspace.test
From: Ada Lovelace <${SENDER}>
Subject: Fwd: Bearing
Content-Type: multipart/signed; protocol="application/pkcs7-signature";
 micalg=sha-256; boundary="------------ms0102"

This is a cryptographically signed message in MIME format.

--------------ms0102
Content-Type: multipart/mixed; boundary="------------b4"

--------------b4
Content-Type: text/plain; charset=UTF-8; format=flowed
Content-Transfer-Encoding: 8bit

For your files – with greetings.

--------------b4
Content-Type: message/rfc822; charset=UTF-8; name="Bearing.eml"
Content-Disposition: attachment; filename="Bearing.eml"
Content-Transfer-Encoding: 7bit

From: grace@other.test
To: ${SENDER}
Subject: Bearing
Message-ID: <first@other.test>
Content-Type: text/plain

The bearing is worn.

--------------b4--

--------------ms0102
Content-Type: application/pkcs7-signature; name="smime.p7s"
Content-Transfer-Encoding: base64
Content-Disposition: attachment; filename="smime.p7s"
Content-Description: S/MIME Cryptographic Signature

MIAGCSqGSIb3DQEHAqCAMIACAQExDzANBglghkgBZQMEAgEFADCABgkqhkiG9w0BBwEAAA==
--------------ms0102--
`,
    names: ["Bearing.eml", "Fwd_ Bearing.eml"],
  },
  {
    name: "Mail of iOS, with HEIC pictures and no text",
    raw: `Content-Type: multipart/mixed; boundary=Apple-Mail-0A1B2C3D-4E5F
Content-Transfer-Encoding: 7bit
From: Ada Lovelace <${SENDER}>
Mime-Version: 1.0 (1.0)
Date: Mon, 30 Nov 2026 08:00:00 +0100
Message-Id: <0A1B2C3D-4E5F-4A5B-8C9D-AAAAAAAAAAAA@sender.test>
To: in@in.workspace.test
X-Mailer: iPhone Mail (23B85)

--Apple-Mail-0A1B2C3D-4E5F
Content-Type: image/heic;
	name=IMG_0001.HEIC
Content-Disposition: inline;
	filename=IMG_0001.HEIC
Content-Transfer-Encoding: base64

${HEIC}

--Apple-Mail-0A1B2C3D-4E5F
Content-Type: text/plain;
	charset=us-ascii
Content-Transfer-Encoding: 7bit

Sent from my iPhone
--Apple-Mail-0A1B2C3D-4E5F--
`,
    names: ["IMG_0001.HEIC", "Mail.eml"],
  },
  {
    name: "Exchange, with a name in the pieces of RFC 2231",
    raw: `From: Ada Lovelace <${SENDER}>
To: "in@in.workspace.test" <in@in.workspace.test>
Subject: =?iso-8859-1?Q?Pr=FCfbericht?=
Message-ID: <c0ffee0123456789@EX01.sender.test>
Date: Mon, 30 Nov 2026 08:00:00 +0100
Content-Type: multipart/mixed;
	boundary="_002_c0ffee0123456789EX01_"
MIME-Version: 1.0

--_002_c0ffee0123456789EX01_
Content-Type: text/plain; charset="us-ascii"

Attached.

--_002_c0ffee0123456789EX01_
Content-Type: application/pdf
Content-Disposition: attachment;
	filename*0*=iso-8859-1''Pr%FCfbericht%20der%20Br%FCcke%20;
	filename*1*=%FCber%20den%20Fluss%20im;
	filename*2=" Herbst.pdf"
Content-Transfer-Encoding: base64

${PDF}

--_002_c0ffee0123456789EX01_--
`,
    names: ["Prüfbericht der Brücke über den Fluss im Herbst.pdf", "Prüfbericht.eml"],
  },
  {
    name: "mutt, with a text file",
    raw: `Date: Mon, 30 Nov 2026 08:00:00 +0100
From: Ada Lovelace <${SENDER}>
To: in@in.workspace.test
Subject: log of the night
Message-ID: <20261130080000.GA1234@sender.test>
MIME-Version: 1.0
Content-Type: multipart/mixed; boundary="OXfL5xGRrasGEqWY"
Content-Disposition: inline

--OXfL5xGRrasGEqWY
Content-Type: text/plain; charset=us-ascii
Content-Disposition: inline

here it is

--OXfL5xGRrasGEqWY
Content-Type: text/plain; charset=us-ascii
Content-Disposition: attachment; filename="night.log"

02:00 wind 40 kn
03:00 wind 44 kn

--OXfL5xGRrasGEqWY--
`,
    names: ["night.log", "log of the night.eml"],
  },
  {
    name: "a scanner, with a PDF alone and no subject",
    raw: `Return-Path: <${SENDER}>
Date: Mon, 30 Nov 2026 8:00:00 +0100
From: ${SENDER}
Reply-to: ${SENDER}
To: in@in.workspace.test
Subject: 
Message-Id: <20261130080000.CAFE@[192.168.1.50]>
X-Mailer: RICOH MP C3004
Auto-Submitted: auto-generated
MIME-Version: 1.0
Content-Type: application/pdf; name="20261130080000.pdf"
Content-Transfer-Encoding: base64
Content-Disposition: attachment; filename="20261130080000.pdf"

${PDF}
`,
    names: ["20261130080000.pdf", "Mail.eml"],
  },
  {
    name: "K-9 on Android",
    raw: `Date: Mon, 30 Nov 2026 08:00:00 +0100
From: Ada <${SENDER}>
To: in@in.workspace.test
Subject: =?UTF-8?B?Rm90byDwn5O3?=
User-Agent: K-9 Mail for Android
Message-ID: <A1B2C3D4-1111-2222-3333-444455556666@sender.test>
MIME-Version: 1.0
Content-Type: multipart/mixed; boundary=----K9ABCDEF
Content-Transfer-Encoding: 7bit

------K9ABCDEF
Content-Type: text/plain;
 charset=utf-8
Content-Transfer-Encoding: quoted-printable

Vom Telefon=2E
------K9ABCDEF
Content-Type: image/png;
 name="=?UTF-8?B?w4RyZ2VyLnBuZw==?="
Content-Transfer-Encoding: base64
Content-Disposition: attachment;
 filename="=?UTF-8?B?w4RyZ2VyLnBuZw==?=";
 size=70

${PIXEL}

------K9ABCDEF--
`,
    names: ["Ärger.png", "Foto 📷.eml"],
  },
  {
    name: "Lotus Notes, with encoded words in ISO-8859-1 and a text without MIME names",
    raw: `To: in@in.workspace.test
Subject: =?ISO-8859-1?Q?Auftr=E4ge_f=FCr_M=E4rz?=
MIME-Version: 1.0
X-Mailer: Lotus Notes Release 8.5.3 September 15, 2011
Message-ID: <OF1234ABCD.5678EF90-ONC1257D00.0012@sender.test>
From: Ada Lovelace/Sender <${SENDER}>
Date: Mon, 30 Nov 2026 08:00:00 +0100
Content-Type: multipart/mixed; boundary="=_mixed 0012ABCDC1257D00_="

--=_mixed 0012ABCDC1257D00_=
Content-Type: text/plain; charset="ISO-8859-1"
Content-Transfer-Encoding: quoted-printable

Die Auftr=E4ge.

--=_mixed 0012ABCDC1257D00_=
Content-Type: application/octet-stream; name="=?ISO-8859-1?Q?Auftr=E4ge.xls?="
Content-Disposition: attachment; filename="=?ISO-8859-1?Q?Auftr=E4ge.xls?="
Content-Transfer-Encoding: base64

0M8R4KGxGuEAAAAAAAAAAAAAAAAAAAAA
--=_mixed 0012ABCDC1257D00_=--
`,
    names: ["Aufträge.xls", "Aufträge für März.eml"],
  },
];
