// Generated from the service's OpenAPI description by `npm run client`. Do not edit it.

export interface paths {
    "/healthz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get liveness
         * @description Answers 200 while the service runs.
         */
        get: operations["getLiveness"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/readyz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get readiness
         * @description Answers 503 when the database, the object store or a queue does not answer, or when a migration of this version is not applied.
         */
        get: operations["getReadiness"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/jobs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List failed or open jobs
         * @description Only for platform administrators.
         */
        get: operations["listJobs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/jobs/rerun": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Run failed jobs again
         * @description Name the jobs or their kind. Runs up to 200 of them, oldest failure first: a new job takes the place of each. Only for platform administrators.
         */
        post: operations["rerunJobs"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/organizations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the organizations of the service with their use
         * @description Ordered by name. Only for platform administrators. Set limits with `updateEntitlements`. A page of a search reads 20000 names, so it can have fewer items than `limit`, or none, before the last page.
         */
        get: operations["listAllOrganizations"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/queues": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the open and failed jobs of each lane
         * @description Only for platform administrators.
         */
        get: operations["getQueues"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/annotations/{annotationId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get an annotation */
        get: operations["getAnnotation"];
        put?: never;
        post?: never;
        /** Delete an annotation */
        delete: operations["deleteAnnotation"];
        options?: never;
        head?: never;
        /** Update an annotation */
        patch: operations["updateAnnotation"];
        trace?: never;
    };
    "/v1/auth/login": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Sign in */
        post: operations["signIn"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/logout": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sign out
         * @description Ends the session of the access token. If that token has expired, send the refresh token in the body.
         */
        post: operations["signOut"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get your profile
         * @description Returns your account, your memberships, and the credential of this request.
         */
        get: operations["getProfile"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Update your name or password
         * @description Needs a session. A new password needs the current password and ends every other session.
         */
        patch: operations["updateProfile"];
        trace?: never;
    };
    "/v1/auth/password-reset": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Request a password reset link
         * @description The answer is the same whether the address has an account or not. If the operator has set up mail, the service mails a link. The link works once, within an hour.
         */
        post: operations["requestPasswordReset"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/password-reset/complete": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Set a new password with a reset link
         * @description Ends every session of the account.
         */
        post: operations["completePasswordReset"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/refresh": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Exchange a refresh token for a new pair
         * @description You can use each refresh token once. If the answer was lost, send the same token again within a minute: the answer has the same new token. A token that comes again later ends its session.
         */
        post: operations["refreshSession"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/register": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Register and sign in
         * @description The operator decides whether registration is open, needs an invitation or is closed.
         */
        post: operations["registerUser"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List your sessions */
        get: operations["listSessions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/sessions/{sessionId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** End a session */
        delete: operations["deleteSession"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List your personal access tokens */
        get: operations["listPersonalAccessTokens"];
        put?: never;
        /**
         * Create a personal access token
         * @description Needs a session: a token cannot create tokens. Only this response contains the secret.
         */
        post: operations["createPersonalAccessToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/tokens/{tokenId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a personal access token */
        get: operations["getPersonalAccessToken"];
        put?: never;
        post?: never;
        /** Revoke a personal access token */
        delete: operations["deletePersonalAccessToken"];
        options?: never;
        head?: never;
        /** Update a personal access token */
        patch: operations["updatePersonalAccessToken"];
        trace?: never;
    };
    "/v1/camera-captures/{captureId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete a capture
         * @description The image is hidden at once. Its bytes are deleted later.
         */
        delete: operations["deleteCapture"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/camera-captures/{captureId}/download": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a download link for a capture
         * @description The link expires. You can also ask for the thumbnail.
         */
        get: operations["getCaptureDownload"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/camera-exports/{operationId}/download": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Download the ZIP of an export
         * @description You can download it whole or in ranges. The address with its ticket is `downloadUrl` of the export.
         */
        get: operations["downloadCameraExport"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/camera-ingestion/configuration": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get the camera's configuration */
        get: operations["getCameraConfiguration"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/camera-ingestion/enrollments/redeem": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Pair a device with its camera
         * @description The pairing code is the proof.
         */
        post: operations["redeemCameraEnrollment"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/camera-ingestion/heartbeat": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a heartbeat
         * @description Reports the state of the device and the configuration revision that it uses.
         */
        post: operations["sendHeartbeat"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/camera-ingestion/uploads": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List unfinished capture operations
         * @description Use it when a device has lost its state.
         */
        get: operations["listCaptureOperations"];
        put?: never;
        /**
         * Announce a capture
         * @description A repeat for the same `captureId` returns the operation that was started before.
         */
        post: operations["startCapture"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/camera-ingestion/uploads/{operationId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a capture operation */
        get: operations["getCaptureOperation"];
        put?: never;
        post?: never;
        /**
         * Cancel an unfinished capture operation
         * @description The device may announce the same `captureId` again.
         */
        delete: operations["cancelCaptureOperation"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/camera-ingestion/uploads/{operationId}/complete": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Complete the upload of a capture
         * @description Starts the verification of the uploaded bytes.
         */
        post: operations["completeCapture"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/camera-ingestion/uploads/{operationId}/upload-url": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Get a new upload address for a capture
         * @description Only for an operation that still waits for its bytes.
         */
        post: operations["renewCaptureUploadUrl"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/camera-shares/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /** Update a link to cameras */
        patch: operations["updateCameraShare"];
        trace?: never;
    };
    "/v1/camera-shares/{id}/revoke": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Revoke a link to cameras */
        post: operations["revokeCameraShare"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/cameras": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the cameras that you can see
         * @description Each camera has the name of its location and the gaps of its last 24 hours. Retired cameras are left out.
         */
        get: operations["listWallCameras"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/cameras/{cameraId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a camera */
        get: operations["getCamera"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /** Update a camera's settings */
        patch: operations["updateCamera"];
        trace?: never;
    };
    "/v1/cameras/{cameraId}/captures": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the captures of a camera at a location, newest first */
        get: operations["listCaptures"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/cameras/{cameraId}/captures/seek": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Find the capture nearest to a moment
         * @description With a direction, finds the next older or newer capture.
         */
        get: operations["seekCapture"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/cameras/{cameraId}/captures/times": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the capture times of a camera at a location
         * @description Use it to draw an archive. Each time is listed once.
         */
        get: operations["listCaptureTimes"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/cameras/{cameraId}/day-strip": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Get one capture of each day
         * @description For each day, the capture nearest to a time of day.
         */
        post: operations["getDayStrip"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/cameras/{cameraId}/enrollments": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create a pairing code for a camera
         * @description A device uses the code once to pair with the camera.
         */
        post: operations["createCameraEnrollment"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/cameras/{cameraId}/exports": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create an export of original images
         * @description The export is one ZIP.
         */
        post: operations["createCameraExport"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/cameras/{cameraId}/exports/{operationId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get the state of your export */
        get: operations["getCameraExport"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/cameras/{cameraId}/exports/latest": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get your latest export of this archive */
        get: operations["getLatestCameraExport"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/cameras/{cameraId}/frames": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List evenly spaced frames of a range
         * @description Use them to play a film.
         */
        get: operations["listCameraFrames"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/cameras/{cameraId}/held-captures": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List images that wait for a person
         * @description Their verification ended without a decision. Each item says why.
         */
        get: operations["listHeldCaptures"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/cameras/{cameraId}/held-captures/{operationId}/retry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Verify a held image again */
        post: operations["retryHeldCapture"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/cameras/{cameraId}/previews": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Get previews of the captures nearest to given moments */
        post: operations["listTimelinePreviews"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/cameras/{cameraId}/rejected-captures": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the rejected images of a camera
         * @description They are kept for 90 days.
         */
        get: operations["listRejectedCaptures"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/cameras/{cameraId}/rejected-captures/{operationId}/download": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a download link for a rejected image
         * @description The link expires. It gives the bytes that the device uploaded.
         */
        get: operations["getRejectedCaptureDownload"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/cameras/{cameraId}/relinks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Move a camera to another location
         * @description The new location belongs to the same organization. Pair the camera again afterwards.
         */
        post: operations["relinkCamera"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/cameras/{cameraId}/retire": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Retire a camera
         * @description You cannot undo this. The images stay until they expire.
         */
        post: operations["retireCamera"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/cameras/{cameraId}/revoke": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Revoke a camera's device
         * @description Ends the device's access and pauses the camera.
         */
        post: operations["revokeCamera"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/cameras/{cameraId}/timeline": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a camera's timeline
         * @description Contains the first and the last capture of the archive, or of a range, and the gaps between them.
         */
        get: operations["getCameraTimeline"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/cameras/{cameraId}/uploads": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the unfinished uploads of a camera */
        get: operations["listPendingCaptures"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/cameras/{cameraId}/uploads/{operationId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Cancel an unfinished upload of a camera
         * @description The device may announce the image again.
         */
        delete: operations["cancelPendingCapture"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/chat/summary": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get the counts of the chat catalog */
        get: operations["getChatSummary"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/documents/{documentId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a document */
        get: operations["getDocument"];
        put?: never;
        post?: never;
        /**
         * Delete a document with all its versions
         * @description You can restore it until its time in the trash ends.
         */
        delete: operations["deleteDocument"];
        options?: never;
        head?: never;
        /** Rename or move a document */
        patch: operations["updateDocument"];
        trace?: never;
    };
    "/v1/documents/{documentId}/download": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a download link for a document
         * @description The link expires after 5 minutes. `linkType` selects the file, or a small or medium form of a picture.
         */
        get: operations["getDocumentDownload"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/documents/{documentId}/grants": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the grants on a document
         * @description Each grant shares it with one person.
         */
        get: operations["listDocumentGrants"];
        put?: never;
        /** Share a document with a person */
        post: operations["createDocumentGrant"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/documents/{documentId}/grants/{grantId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a grant on a document */
        get: operations["getDocumentGrant"];
        put?: never;
        post?: never;
        /** End a grant on a document */
        delete: operations["deleteDocumentGrant"];
        options?: never;
        head?: never;
        /** Update a grant on a document */
        patch: operations["updateDocumentGrant"];
        trace?: never;
    };
    "/v1/documents/{documentId}/pages/{page}/words": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the words of a scanned page with their boxes
         * @description Answers 404 for a page without recognized words.
         */
        get: operations["getPageWords"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/documents/{documentId}/passages": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the text passages of a document in reading order */
        get: operations["listPassages"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/documents/{documentId}/restore": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Restore a deleted document */
        post: operations["restoreDocument"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/documents/{documentId}/versions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the versions of a document, newest first */
        get: operations["listDocumentVersions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/invitations/accept": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Accept an invitation */
        post: operations["acceptInvitation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/invitations/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Preview an invitation
         * @description For a person who has the link, before they register or sign in. It changes nothing.
         */
        post: operations["previewInvitation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/notifications": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List your notifications, newest first */
        get: operations["listNotifications"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/notifications/{notificationId}/read": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /** Mark one notification as read */
        patch: operations["markNotificationRead"];
        trace?: never;
    };
    "/v1/notifications/bootstrap": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get the live hub's path and the unread count */
        get: operations["getNotificationBootstrap"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/notifications/preferences": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get your notification preferences */
        get: operations["getNotificationPreferences"];
        /** Turn types of notification on or off */
        put: operations["updateNotificationPreferences"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/notifications/read": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Mark several or all notifications as read */
        post: operations["markNotificationsRead"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/notifications/unread-count": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get the number of unread notifications */
        get: operations["getUnreadCount"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List your organizations */
        get: operations["listOrganizations"];
        put?: never;
        /**
         * Create an organization
         * @description You become its owner.
         */
        post: operations["createOrganization"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{organizationId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get an organization */
        get: operations["getOrganization"];
        put?: never;
        post?: never;
        /** Delete an empty organization */
        delete: operations["deleteOrganization"];
        options?: never;
        head?: never;
        /** Change an organization */
        patch: operations["updateOrganization"];
        trace?: never;
    };
    "/v1/orgs/{organizationId}/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the audit trail of an organization
         * @description Newest first. Only for owners and admins.
         */
        get: operations["listAuditEntries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{organizationId}/branding": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get an organization's branding */
        get: operations["getBranding"];
        /** Update an organization's brand name, slogan and colours, and where they are shown */
        put: operations["updateBranding"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{organizationId}/branding/assets/{slot}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get the logo or banner */
        get: operations["getBrandingAsset"];
        put?: never;
        post?: never;
        /** Remove the logo or banner */
        delete: operations["deleteBrandingAsset"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{organizationId}/branding/assets/{slot}/download": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a download link for the logo or banner
         * @description The link expires after 5 minutes. `linkType` selects the file or a preview.
         */
        get: operations["getBrandingAssetDownload"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{organizationId}/branding/assets/{slot}/upload-complete": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Complete the upload of a logo or banner
         * @description Verifies the uploaded bytes and replaces the current file of the slot.
         */
        post: operations["completeBrandingUpload"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{organizationId}/branding/assets/{slot}/upload-start": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Start the upload of a logo or banner
         * @description Your open upload of the same file continues: the answer is 200 with a new address for it.
         */
        post: operations["startBrandingUpload"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{organizationId}/branding/assets/{slot}/uploads/{uploadId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Cancel the upload of a logo or banner
         * @description Ends your own upload before its completion, deletes its bytes and releases the storage that it reserved. A completed upload answers 410.
         */
        delete: operations["cancelBrandingUpload"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{organizationId}/camera-cleanups": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List camera cleanups of an organization
         * @description Each receipt says what the deletion of a location removed of one camera. Only for owners and admins.
         */
        get: operations["listCameraCleanups"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{organizationId}/entitlements": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get an organization's entitlements and usage */
        get: operations["getEntitlements"];
        /**
         * Set an organization's entitlements
         * @description Only for platform administrators.
         */
        put: operations["updateEntitlements"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{organizationId}/invitations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the open invitations of an organization */
        get: operations["listInvitations"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{organizationId}/invitations/{invitationId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Withdraw an invitation */
        delete: operations["deleteInvitation"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{organizationId}/members": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the members of an organization
         * @description A guest sees only their own membership.
         */
        get: operations["listMembers"];
        put?: never;
        /**
         * Add or invite a member
         * @description A person with a verified account becomes a member at once. Any other address gets an invitation.
         */
        post: operations["createMember"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{organizationId}/members/{userId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a member */
        get: operations["getMember"];
        put?: never;
        post?: never;
        /** Remove a member, or leave an organization */
        delete: operations["deleteMember"];
        options?: never;
        head?: never;
        /** Update a member's role or overrides */
        patch: operations["updateMember"];
        trace?: never;
    };
    "/v1/orgs/{organizationId}/storage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get what an organization stores, with a forecast
         * @description Only for owners and admins. The forecast computes what the cameras add by their settings and the size of their newest images. Exports are made while they are downloaded and need no storage.
         */
        get: operations["getStorageUse"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/reports": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the reports that you can see */
        get: operations["listVisibleReports"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/reports/{reportId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a report with its draft */
        get: operations["getReport"];
        /**
         * Replace or merge a report's draft
         * @description With baseRevision or If-Match, your changes since that revision are merged with the changes of others. A conflict answers 409, and `errors` names the fields. Without a base revision, the request answers 409 while people are in the room.
         */
        put: operations["updateReport"];
        post?: never;
        /**
         * Delete a report
         * @description Its PDFs stay in the library.
         */
        delete: operations["deleteReport"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/reports/{reportId}/collaboration/bootstrap": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Start editing a draft together
         * @description Returns what a y-websocket provider needs to connect.
         */
        post: operations["startReportCollaboration"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/reports/{reportId}/generate-pdf": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Generate a PDF of a report
         * @description An unchanged report gets its existing job. The PDF becomes a new version of one document, `reports/….pdf`.
         */
        post: operations["generateReportPdf"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/reports/{reportId}/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Preview a report as HTML
         * @description The page is the one that a PDF is made from. It runs no script and loads no other file.
         */
        get: operations["previewReport"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/reports/jobs/{jobId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get the state of a PDF job */
        get: operations["getReportJob"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/reports/jobs/{jobId}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel a queued PDF job
         * @description A job that is being printed or has ended answers 409. A job that was cancelled before stays cancelled.
         */
        post: operations["cancelReportJob"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/reports/locations/{locationId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the reports of a location */
        get: operations["listReports"];
        put?: never;
        /** Create a report for a location */
        post: operations["createReport"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/reports/templates": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List report templates
         * @description Returns your own templates and those of your organizations, without their sources.
         */
        get: operations["listReportTemplates"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/reports/templates/{template}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a report template by its key
         * @description If several templates have the key, your own one is returned.
         */
        get: operations["getReportTemplate"];
        /** Replace a report template */
        put: operations["updateReportTemplate"];
        post?: never;
        /**
         * Delete a report template
         * @description Reports that use the template keep it.
         */
        delete: operations["deleteReportTemplate"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/reports/templates/organizations/{organizationId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Create a report template of an organization */
        post: operations["createOrganizationReportTemplate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/reports/templates/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Preview a report template as HTML
         * @description Nothing is stored. The page runs no script and loads no other file.
         */
        post: operations["previewReportTemplate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/reports/templates/users/me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Create a personal report template */
        post: operations["createPersonalReportTemplate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/search": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Search everything you may see */
        post: operations["search"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/search/index/assets/backfill": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Index all assets again
         * @description Indexes the entry of every cluster, location, annotation and document. Only for platform administrators.
         */
        post: operations["reindexAssets"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/search/index/backfill": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Index the text of every document again
         * @description Only for platform administrators.
         */
        post: operations["reindexDocuments"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/search/index/documents/{documentId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Index one document again
         * @description Only for platform administrators.
         */
        post: operations["reindexDocument"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/search/index/status": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get index status
         * @description Only for platform administrators.
         */
        get: operations["getIndexStatus"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/search/insights": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get search insights of an organization
         * @description Shows what people of the organization search for. Only for owners and admins.
         */
        get: operations["getSearchInsights"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/search/interactions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Record an interaction with a search result */
        post: operations["recordSearchInteraction"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/search/suggestions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Get suggestions for a search term */
        post: operations["suggestSearches"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/shared-cameras": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the cameras of a link */
        get: operations["listSharedCameras"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/shared-cameras/{cameraId}/captures/seek": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Find the capture of a shared camera nearest to a moment
         * @description With a direction, finds the next older or newer capture.
         */
        get: operations["seekSharedCapture"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/shared-cameras/{cameraId}/captures/times": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the capture times of a shared camera
         * @description Use it to draw an archive. Each time is listed once.
         */
        get: operations["listSharedCaptureTimes"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/shared-cameras/{cameraId}/frames": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List evenly spaced frames of a shared camera
         * @description Use them to play a film.
         */
        get: operations["listSharedCameraFrames"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/shared-cameras/{cameraId}/previews": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Get previews of a shared camera's captures nearest to given moments */
        post: operations["listSharedTimelinePreviews"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/shared-cameras/{cameraId}/timeline": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a shared camera's timeline
         * @description Contains the first and the last capture of the archive, or of a range, and the gaps between them.
         */
        get: operations["getSharedCameraTimeline"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/shared-cameras/captures/{captureId}/image": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get the image of a shared capture */
        get: operations["getSharedCaptureImage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/shared-cameras/latest-previews": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Get a preview of each shared camera's latest capture */
        post: operations["listSharedLatestPreviews"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/shared-cameras/logo": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the logo of a link's organization
         * @description Answers 404 unless the organization shows its brand on share links and has a logo.
         */
        get: operations["getSharedLogo"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/shared-cameras/unlock": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Enter the passcode of a link
         * @description Returns a pass that is valid for twelve hours. Every other request on a link with a passcode needs it.
         */
        post: operations["unlockSharedCameras"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/spatial/clusters": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List clusters
         * @description Contains the clusters that you may see.
         */
        get: operations["listClusters"];
        put?: never;
        /** Create a cluster */
        post: operations["createCluster"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/spatial/clusters/{clusterId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a cluster */
        get: operations["getCluster"];
        put?: never;
        post?: never;
        /**
         * Delete a cluster and everything in it
         * @description You can restore it until its time in the trash ends.
         */
        delete: operations["deleteCluster"];
        options?: never;
        head?: never;
        /** Update a cluster */
        patch: operations["updateCluster"];
        trace?: never;
    };
    "/v1/spatial/clusters/{clusterId}/grants": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the grants on a cluster
         * @description Each grant shares it with one person.
         */
        get: operations["listClusterGrants"];
        put?: never;
        /** Share a cluster with a person */
        post: operations["createClusterGrant"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/spatial/clusters/{clusterId}/grants/{grantId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a grant on a cluster */
        get: operations["getClusterGrant"];
        put?: never;
        post?: never;
        /** End a grant on a cluster */
        delete: operations["deleteClusterGrant"];
        options?: never;
        head?: never;
        /** Update a grant on a cluster */
        patch: operations["updateClusterGrant"];
        trace?: never;
    };
    "/v1/spatial/clusters/{clusterId}/restore": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Restore a deleted cluster and its contents */
        post: operations["restoreCluster"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/spatial/locations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List locations
         * @description Contains the locations that you may see.
         */
        get: operations["listLocations"];
        put?: never;
        /** Create a location */
        post: operations["createLocation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/spatial/locations/{locationId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a location */
        get: operations["getLocation"];
        put?: never;
        post?: never;
        /**
         * Delete a location and everything in it
         * @description You can restore it until its time in the trash ends.
         */
        delete: operations["deleteLocation"];
        options?: never;
        head?: never;
        /** Update a location, or move it to another cluster */
        patch: operations["updateLocation"];
        trace?: never;
    };
    "/v1/spatial/locations/{locationId}/annotations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the annotations of a location */
        get: operations["listAnnotations"];
        put?: never;
        /** Add an annotation to a location */
        post: operations["createAnnotation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/spatial/locations/{locationId}/camera-shares": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the camera links of a location
         * @description Also says which cameras you may share.
         */
        get: operations["listCameraShares"];
        put?: never;
        /** Create a link to cameras of a location */
        post: operations["createCameraShare"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/spatial/locations/{locationId}/cameras": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the cameras of a location
         * @description Also contains the cameras that were at this location before.
         */
        get: operations["listCameras"];
        put?: never;
        /** Create a camera at a location */
        post: operations["createCamera"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/spatial/locations/{locationId}/cameras/latest-previews": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Get a preview of each camera's latest capture */
        post: operations["listLatestPreviews"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/spatial/locations/{locationId}/documents": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the documents of a location
         * @description Contains the documents that you may read, ordered by path and file name.
         */
        get: operations["listDocuments"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/spatial/locations/{locationId}/documents/upload-complete": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Complete an upload
         * @description Verifies the uploaded bytes and adds the document to the library.
         */
        post: operations["completeUpload"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/spatial/locations/{locationId}/documents/upload-start": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Start an upload
         * @description Uploads a document, or a new version of the document with this path and name. Your open upload of the same file with the same path, name and type continues: the answer is 200 with a new address for it.
         */
        post: operations["startUpload"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/spatial/locations/{locationId}/documents/uploads/{uploadId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Cancel an upload
         * @description Ends your own upload before its completion, deletes its bytes and releases the storage that it reserved. A completed upload answers 410.
         */
        delete: operations["cancelUpload"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/spatial/locations/{locationId}/grants": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the grants on a location
         * @description Each grant shares it with one person.
         */
        get: operations["listLocationGrants"];
        put?: never;
        /** Share a location with a person */
        post: operations["createLocationGrant"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/spatial/locations/{locationId}/grants/{grantId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a grant on a location */
        get: operations["getLocationGrant"];
        put?: never;
        post?: never;
        /** End a grant on a location */
        delete: operations["deleteLocationGrant"];
        options?: never;
        head?: never;
        /** Update a grant on a location */
        patch: operations["updateLocationGrant"];
        trace?: never;
    };
    "/v1/spatial/locations/{locationId}/restore": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Restore a deleted location and its contents */
        post: operations["restoreLocation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/trash": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the trash
         * @description Contains the resources that you may restore, in the order of deletion.
         */
        get: operations["listTrash"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /**
         * @example {
         *       "organizationId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *       "role": "owner"
         *     }
         */
        AcceptedInvitation: {
            /**
             * Format: uuid
             * @example 0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10
             */
            organizationId: string;
            /** @enum {string} */
            role: "owner" | "admin" | "member" | "guest";
        };
        /**
         * @example {
         *       "id": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *       "kind": "text",
         *       "lane": "live",
         *       "status": "queued",
         *       "attempts": 1,
         *       "progress": {
         *         "done": 1,
         *         "total": 1
         *       },
         *       "error": {
         *         "code": "text",
         *         "detail": "Correct these and send it again: name: Required."
         *       },
         *       "organization": {
         *         "id": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *         "name": "North yard"
         *       },
         *       "canRerun": false,
         *       "createdAtUtc": "2026-11-20T09:30:00.000Z",
         *       "dueAtUtc": "2026-11-20T09:30:00.000Z",
         *       "finishedAtUtc": "2026-11-20T09:30:00.000Z"
         *     }
         */
        AdministeredJob: {
            attempts: number;
            /** @description Whether it failed and can run again. Other kinds are started again by the person who needs them. */
            canRerun: boolean;
            /**
             * Format: date-time
             * @example 2026-11-20T09:30:00.000Z
             */
            createdAtUtc: string;
            /**
             * Format: date-time
             * @example 2026-11-20T09:30:00.000Z
             */
            dueAtUtc: string;
            /** @description The reason why the job, or its last try, failed. */
            error: {
                code: string;
                detail: string;
            } | null;
            /**
             * Format: date-time
             * @example 2026-11-20T09:30:00.000Z
             */
            finishedAtUtc: string | null;
            /**
             * Format: uuid
             * @example 0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10
             */
            id: string;
            kind: string;
            /** @enum {string} */
            lane: "live" | "light" | "extraction" | "verification" | "printing" | "recognition";
            /** @description Null for work of the whole service and of personal workspaces. */
            organization: {
                /**
                 * Format: uuid
                 * @example 0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10
                 */
                id: string;
                name: string;
            } | null;
            progress: {
                done: number;
                total: number;
            };
            /** @enum {string} */
            status: "queued" | "running" | "failed";
        };
        /**
         * @example {
         *       "items": [
         *         {
         *           "id": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *           "kind": "text",
         *           "lane": "live",
         *           "status": "queued",
         *           "attempts": 1,
         *           "progress": {
         *             "done": 1,
         *             "total": 1
         *           },
         *           "error": {
         *             "code": "text",
         *             "detail": "Correct these and send it again: name: Required."
         *           },
         *           "organization": {
         *             "id": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *             "name": "North yard"
         *           },
         *           "canRerun": false,
         *           "createdAtUtc": "2026-11-20T09:30:00.000Z",
         *           "dueAtUtc": "2026-11-20T09:30:00.000Z",
         *           "finishedAtUtc": "2026-11-20T09:30:00.000Z"
         *         }
         *       ],
         *       "nextCursor": "text"
         *     }
         */
        AdministeredJobList: {
            items: components["schemas"]["AdministeredJob"][];
            /** @description Send this as `cursor` to get the next page. Null on the last page. */
            nextCursor: string | null;
        };
        /**
         * @example {
         *       "id": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *       "name": "North yard",
         *       "entitlements": {
         *         "cameras": false,
         *         "externalShares": false,
         *         "documentStorageBytes": 1,
         *         "jobsPerMonth": 1,
         *         "maxRetentionDays": 1,
         *         "usage": {
         *           "usedBytes": 1,
         *           "reservedBytes": 1,
         *           "jobsThisMonth": 1
         *         },
         *         "revision": 1
         *       },
         *       "memberCount": 1,
         *       "locationCount": 1,
         *       "cameraCount": 1,
         *       "createdAtUtc": "2026-11-20T09:30:00.000Z"
         *     }
         */
        AdministeredOrganization: {
            /** @description Cameras that are not retired. */
            cameraCount: number;
            /**
             * Format: date-time
             * @example 2026-11-20T09:30:00.000Z
             */
            createdAtUtc: string;
            entitlements: components["schemas"]["Entitlements"];
            /**
             * Format: uuid
             * @example 0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10
             */
            id: string;
            locationCount: number;
            memberCount: number;
            name: string;
        };
        /**
         * @example {
         *       "items": [
         *         {
         *           "id": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *           "name": "North yard",
         *           "entitlements": {
         *             "cameras": false,
         *             "externalShares": false,
         *             "documentStorageBytes": 1,
         *             "jobsPerMonth": 1,
         *             "maxRetentionDays": 1,
         *             "usage": {
         *               "usedBytes": 1,
         *               "reservedBytes": 1,
         *               "jobsThisMonth": 1
         *             },
         *             "revision": 1
         *           },
         *           "memberCount": 1,
         *           "locationCount": 1,
         *           "cameraCount": 1,
         *           "createdAtUtc": "2026-11-20T09:30:00.000Z"
         *         }
         *       ],
         *       "nextCursor": "text"
         *     }
         */
        AdministeredOrganizationList: {
            items: components["schemas"]["AdministeredOrganization"][];
            /** @description Send this as `cursor` to get the next page. Null on the last page. */
            nextCursor: string | null;
        };
        /**
         * @example {
         *       "id": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *       "organizationId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *       "clusterId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *       "locationId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *       "kind": "defect",
         *       "title": "North yard",
         *       "body": "A crack at the east bearing.",
         *       "position": {
         *         "latitude": 59.9139,
         *         "longitude": 10.7522,
         *         "altitude": 12.5
         *       },
         *       "metadata": {},
         *       "revision": 1,
         *       "createdAtUtc": "2026-11-20T09:30:00.000Z",
         *       "updatedAtUtc": "2026-11-20T09:30:00.000Z"
         *     }
         */
        Annotation: {
            body: string;
            /**
             * Format: uuid
             * @example 0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10
             */
            clusterId: string;
            /**
             * Format: date-time
             * @example 2026-11-20T09:30:00.000Z
             */
            createdAtUtc: string;
            /**
             * Format: uuid
             * @example 0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10
             */
            id: string;
            /** @example defect */
            kind: string;
            /**
             * Format: uuid
             * @example 0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10
             */
            locationId: string;
            metadata: {
                [key: string]: unknown;
            };
            /**
             * Format: uuid
             * @example 0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10
             */
            organizationId: string | null;
            position: {
                altitude?: number;
                latitude: number;
                longitude: number;
            } | {
                x: number;
                y: number;
                z?: number;
            } | null;
            revision: number;
            /** @example North yard */
            title: string;
            /**
             * Format: date-time
             * @example 2026-11-20T09:30:00.000Z
             */
            updatedAtUtc: string;
        };
        /**
         * @example {
         *       "kind": "defect",
         *       "title": "North yard",
         *       "body": "A crack at the east bearing.",
         *       "position": {
         *         "latitude": 59.9139,
         *         "longitude": 10.7522,
         *         "altitude": 12.5
         *       },
         *       "metadata": {}
         *     }
         */
        AnnotationCreate: {
            body?: string;
            /** @example defect */
            kind: string;
            metadata?: {
                [key: string]: unknown;
            };
            position?: {
                altitude?: number;
                latitude: number;
                longitude: number;
            } | {
                x: number;
                y: number;
                z?: number;
            } | null;
            /** @example North yard */
            title: string;
        };
        /**
         * @example {
         *       "items": [
         *         {
         *           "id": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *           "organizationId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *           "clusterId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *           "locationId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *           "kind": "defect",
         *           "title": "North yard",
         *           "body": "A crack at the east bearing.",
         *           "position": {
         *             "latitude": 59.9139,
         *             "longitude": 10.7522,
         *             "altitude": 12.5
         *           },
         *           "metadata": {},
         *           "revision": 1,
         *           "createdAtUtc": "2026-11-20T09:30:00.000Z",
         *           "updatedAtUtc": "2026-11-20T09:30:00.000Z"
         *         }
         *       ],
         *       "nextCursor": "text"
         *     }
         */
        AnnotationList: {
            items: components["schemas"]["Annotation"][];
            /** @description Send this as `cursor` to get the next page. Null on the last page. */
            nextCursor: string | null;
        };
        /**
         * @example {
         *       "kind": "defect",
         *       "title": "North yard",
         *       "body": "A crack at the east bearing.",
         *       "position": {
         *         "latitude": 59.9139,
         *         "longitude": 10.7522,
         *         "altitude": 12.5
         *       },
         *       "metadata": {},
         *       "baseRevision": 1
         *     }
         */
        AnnotationUpdate: {
            baseRevision?: number;
            body?: string;
            /** @example defect */
            kind?: string;
            metadata?: {
                [key: string]: unknown;
            };
            position?: {
                altitude?: number;
                latitude: number;
                longitude: number;
            } | {
                x: number;
                y: number;
                z?: number;
            } | null;
            /** @example North yard */
            title?: string;
        };
        /**
         * @example {
         *       "id": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *       "action": "member.added",
         *       "actor": {
         *         "userId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *         "kind": "text",
         *         "credentialId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10"
         *       },
         *       "subjectType": "cluster",
         *       "subjectId": "text",
         *       "details": {},
         *       "ip": "203.0.113.7",
         *       "requestId": "text",
         *       "createdAtUtc": "2026-11-20T09:30:00.000Z"
         *     }
         */
        AuditEntry: {
            /** @example member.added */
            action: string;
            actor: {
                /**
                 * Format: uuid
                 * @description The id of the session or token.
                 * @example 0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10
                 */
                credentialId: string | null;
                /** @description The kind of credential, or `system`. */
                kind: string;
                /**
                 * Format: uuid
                 * @example 0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10
                 */
                userId: string | null;
            };
            /**
             * Format: date-time
             * @example 2026-11-20T09:30:00.000Z
             */
            createdAtUtc: string;
            details: {
                [key: string]: unknown;
            };
            /**
             * Format: uuid
             * @example 0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10
             */
            id: string;
            ip: string | null;
            requestId: string;
            subjectId: string;
            subjectType: string;
        };
        /**
         * @example {
         *       "items": [
         *         {
         *           "id": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *           "action": "member.added",
         *           "actor": {
         *             "userId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *             "kind": "text",
         *             "credentialId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10"
         *           },
         *           "subjectType": "cluster",
         *           "subjectId": "text",
         *           "details": {},
         *           "ip": "203.0.113.7",
         *           "requestId": "text",
         *           "createdAtUtc": "2026-11-20T09:30:00.000Z"
         *         }
         *       ],
         *       "nextCursor": "text"
         *     }
         */
        AuditEntryList: {
            items: components["schemas"]["AuditEntry"][];
            /** @description Send this as `cursor` to get the next page. Null on the last page. */
            nextCursor: string | null;
        };
        /**
         * @example {
         *       "organizationId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *       "organizationName": "Northern Bridges",
         *       "brandName": "Northern Bridges",
         *       "slogan": "We keep bridges open.",
         *       "primaryColor": "#0f766e",
         *       "secondaryColor": "#334155",
         *       "accentColor": "#d97706",
         *       "shownOnShareLinks": false,
         *       "logo": {
         *         "slot": "logo",
         *         "fileName": "inspection.pdf",
         *         "contentType": "application/pdf",
         *         "sizeBytes": 52428,
         *         "width": 1920,
         *         "height": 1080,
         *         "checksumSha256": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
         *         "uploadedAtUtc": "2026-11-20T09:30:00.000Z"
         *       },
         *       "banner": {
         *         "slot": "logo",
         *         "fileName": "inspection.pdf",
         *         "contentType": "application/pdf",
         *         "sizeBytes": 52428,
         *         "width": 1920,
         *         "height": 1080,
         *         "checksumSha256": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
         *         "uploadedAtUtc": "2026-11-20T09:30:00.000Z"
         *       },
         *       "revision": 1,
         *       "updatedAtUtc": "2026-11-20T09:30:00.000Z"
         *     }
         */
        Branding: {
            accentColor: string | null;
            banner: components["schemas"]["BrandingAsset"] | null;
            brandName: string | null;
            logo: components["schemas"]["BrandingAsset"] | null;
            /**
             * Format: uuid
             * @example 0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10
             */
            organizationId: string;
            organizationName: string;
            primaryColor: string | null;
            revision: number;
            secondaryColor: string | null;
            /** @description Whether the pages of share links show the name and the logo. False at first. */
            shownOnShareLinks: boolean;
            slogan: string | null;
            /** @example 2026-11-20T09:30:00.000Z */
            updatedAtUtc: string | null;
        };
        /**
         * @example {
         *       "slot": "logo",
         *       "fileName": "inspection.pdf",
         *       "contentType": "application/pdf",
         *       "sizeBytes": 52428,
         *       "width": 1920,
         *       "height": 1080,
         *       "checksumSha256": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
         *       "uploadedAtUtc": "2026-11-20T09:30:00.000Z"
         *     }
         */
        BrandingAsset: {
            checksumSha256: string;
            /** @description The media type that the file's bytes show. */
            contentType: string;
            fileName: string;
            height: number;
            sizeBytes: number;
            /** @enum {string} */
            slot: "logo" | "banner";
            /**
             * Format: date-time
             * @example 2026-11-20T09:30:00.000Z
             */
            uploadedAtUtc: string;
            width: number;
        };
        /**
         * @example {
         *       "brandName": "Northern Bridges",
         *       "slogan": "We keep bridges open.",
         *       "primaryColor": "#0f766e",
         *       "secondaryColor": "#334155",
         *       "accentColor": "#d97706",
         *       "shownOnShareLinks": false,
         *       "baseRevision": 1
         *     }
         */
        BrandingUpdate: {
            /** @description Null or an empty text clears the field. An absent field does not change. */
            accentColor?: string | null;
            baseRevision?: number;
            /** @description Null or an empty text clears the field. An absent field does not change. */
            brandName?: string | null;
            /** @description Null or an empty text clears the field. An absent field does not change. */
            primaryColor?: string | null;
            /** @description Null or an empty text clears the field. An absent field does not change. */
            secondaryColor?: string | null;
            /** @description Whether the pages of share links show the name and the logo. An absent field does not change. */
            shownOnShareLinks?: boolean;
            /** @description Null or an empty text clears the field. An absent field does not change. */
            slogan?: string | null;
        };
        /**
         * @example {
         *       "uploadId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *       "uploadUrl": "https://docs.example.org/objects/staging?signature=secret",
         *       "requiredHeaders": {},
         *       "expiresAtUtc": "2026-11-20T09:30:00.000Z"
         *     }
         */
        BrandingUpload: {
            /**
             * Format: date-time
             * @example 2026-11-20T09:30:00.000Z
             */
            expiresAtUtc: string;
            /** @description Send exactly these headers with the PUT. */
            requiredHeaders: {
                [key: string]: string;
            };
            /**
             * Format: uuid
             * @example 0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10
             */
            uploadId: string;
            /** @description Send the bytes to this address with PUT. It needs no Authorization header. */
            uploadUrl: string;
        };
        /**
         * @example {
         *       "uploadId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10"
         *     }
         */
        BrandingUploadComplete: {
            /**
             * Format: uuid
             * @example 0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10
             */
            uploadId: string;
        };
        /**
         * @example {
         *       "fileName": "ground floor.pdf",
         *       "contentType": "image/png",
         *       "sizeBytes": 52428,
         *       "checksumSha256": "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
         *     }
         */
        BrandingUploadCreate: {
            /**
             * @description SHA-256 of the bytes.
             * @example e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855
             */
            checksumSha256: string;
            /** @example image/png */
            contentType: string;
            /** @example ground floor.pdf */
            fileName: string;
            sizeBytes: number;
        };
        /**
         * @example {
         *       "slot": "logo",
         *       "fileName": "inspection.pdf",
         *       "contentType": "application/pdf",
         *       "sizeBytes": 52428,
         *       "width": 1920,
         *       "height": 1080,
         *       "checksumSha256": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
         *       "uploadedAtUtc": "2026-11-20T09:30:00.000Z",
         *       "hint": "Convert the letters of the SVG to outlines."
         *     }
         */
        BrandingUploadResult: components["schemas"]["BrandingAsset"] & {
            /** @description Advice to improve the file, such as to convert an SVG's text to outlines. Null if there is none. */
            hint: string | null;
        };
        /**
         * @example {
         *       "id": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *       "organizationId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *       "locationId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *       "name": "North gate",
         *       "description": "On the mast beside the north gate.",
         *       "isPaused": true,
         *       "captureIntervalMinutes": 15,
         *       "retentionDays": 90,
         *       "captureWidth": 2560,
         *       "captureHeight": 1440,
         *       "jpegQuality": 85,
         *       "timeZone": "Europe/Oslo",
         *       "captureWindow": {
         *         "start": "07:00",
         *         "end": "19:00",
         *         "daysOfWeek": [
         *           1,
         *           2,
         *           3,
         *           4,
         *           5
         *         ]
         *       },
         *       "status": "active",
         *       "pairing": "none",
         *       "assignmentGeneration": 1,
         *       "configurationPending": false,
         *       "silence": {
         *         "cause": "offline",
         *         "sinceUtc": "2026-11-20T09:30:00.000Z"
         *       },
         *       "lastSeenAtUtc": "2026-11-20T09:30:00.000Z",
         *       "lastCaptureAtUtc": "2026-11-20T09:30:00.000Z",
         *       "device": {
         *         "appliedRevision": 1,
         *         "lastCaptureAtUtc": "2026-11-20T09:30:00.000Z",
         *         "queueCount": 1,
         *         "queueBytes": 1,
         *         "freeBytes": 12884901888,
         *         "oldestPendingAtUtc": "2026-11-20T09:30:00.000Z",
         *         "errorCode": "text"
         *       },
         *       "identicalFrames": 1,
         *       "revision": 1,
         *       "createdAtUtc": "2026-11-20T09:30:00.000Z",
         *       "updatedAtUtc": "2026-11-20T09:30:00.000Z"
         *     }
         */
        Camera: {
            assignmentGeneration: number;
            /**
             * @description Height of an image in pixels.
             * @example 1440
             */
            captureHeight: number;
            /**
             * @description Minutes between two images.
             * @example 15
             */
            captureIntervalMinutes: number;
            /**
             * @description Width of an image in pixels. Width times height is at most 24 megapixels.
             * @example 2560
             */
            captureWidth: number;
            /**
             * @description Local time in which the camera takes images. Null: around the clock.
             * @example {
             *       "start": "07:00",
             *       "end": "19:00",
             *       "daysOfWeek": [
             *         1,
             *         2,
             *         3,
             *         4,
             *         5
             *       ]
             *     }
             */
            captureWindow: components["schemas"]["CaptureWindow"] | null;
            /** @description A device is paired and has not reported this revision as applied. */
            configurationPending: boolean;
            /**
             * Format: date-time
             * @example 2026-11-20T09:30:00.000Z
             */
            createdAtUtc: string;
            /**
             * @description Free text about the camera.
             * @example On the mast beside the north gate.
             */
            description: string;
            device: components["schemas"]["CameraDevice"] | null;
            /**
             * Format: uuid
             * @example 0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10
             */
            id: string;
            /** @description Number of newest images with identical bytes, the newest included; 0 without an image. A camera with 3 or more is frozen. */
            identicalFrames: number;
            /**
             * @description A paused camera takes no new images. Images that wait on the device are still uploaded.
             * @example true
             */
            isPaused: boolean;
            /**
             * @description Quality of the JPEG encoder: 100 is the best.
             * @example 85
             */
            jpegQuality: number;
            /**
             * Format: date-time
             * @example 2026-11-20T09:30:00.000Z
             */
            lastCaptureAtUtc: string | null;
            /**
             * Format: date-time
             * @description Time of the stored heartbeat. The last heartbeat can be up to 8 minutes newer while it reports nothing new.
             * @example 2026-11-20T09:30:00.000Z
             */
            lastSeenAtUtc: string | null;
            /**
             * Format: uuid
             * @example 0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10
             */
            locationId: string;
            /**
             * @description Name of the camera, one line.
             * @example North gate
             */
            name: string;
            /**
             * Format: uuid
             * @example 0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10
             */
            organizationId: string;
            /** @enum {string} */
            pairing: "none" | "pending" | "paired";
            /**
             * @description Days that an image is kept after its capture. The organization's entitlements limit them.
             * @example 90
             */
            retentionDays: number;
            revision: number;
            silence: components["schemas"]["CameraOutage"] | null;
            /** @enum {string} */
            status: "active" | "paused" | "revoked" | "retired";
            /**
             * @description IANA name of the time zone in which the camera's days and its capture window are read.
             * @example Europe/Oslo
             */
            timeZone: string;
            /**
             * Format: date-time
             * @example 2026-11-20T09:30:00.000Z
             */
            updatedAtUtc: string;
        };
        /**
         * @example {
         *       "id": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *       "organizationId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *       "locationId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *       "locationName": "East pier",
         *       "cameraId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *       "cameraName": "North gate",
         *       "isRetired": false,
         *       "requestedAtUtc": "2026-11-20T09:30:00.000Z",
         *       "capturesRemoved": 1,
         *       "bytesRemoved": 52428800,
         *       "finishedAtUtc": "2026-11-20T09:30:00.000Z"
         *     }
         */
        CameraCleanup: {
            /** @description Bytes of the original images. */
            bytesRemoved: number;
            /**
             * Format: uuid
             * @example 0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10
             */
            cameraId: string;
            cameraName: string;
            capturesRemoved: number;
            /**
             * Format: date-time
             * @example 2026-11-20T09:30:00.000Z
             */
            finishedAtUtc: string | null;
            /**
             * Format: uuid
             * @example 0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10
             */
            id: string;
            /** @description True when the camera was at the location and was retired. False when only its earlier images there were removed. */
            isRetired: boolean;
            /**
             * Format: uuid
             * @example 0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10
             */
            locationId: string;
            locationName: string;
            /**
             * Format: uuid
             * @example 0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10
             */
            organizationId: string;
            /**
             * Format: date-time
             * @example 2026-11-20T09:30:00.000Z
             */
            requestedAtUtc: string;
        };
        /**
         * @example {
         *       "items": [
         *         {
         *           "id": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *           "organizationId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *           "locationId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *           "locationName": "East pier",
         *           "cameraId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *           "cameraName": "North gate",
         *           "isRetired": false,
         *           "requestedAtUtc": "2026-11-20T09:30:00.000Z",
         *           "capturesRemoved": 1,
         *           "bytesRemoved": 52428800,
         *           "finishedAtUtc": "2026-11-20T09:30:00.000Z"
         *         }
         *       ],
         *       "nextCursor": "text"
         *     }
         */
        CameraCleanupList: {
            items: components["schemas"]["CameraCleanup"][];
            /** @description Send this as `cursor` to get the next page. Null on the last page. */
            nextCursor: string | null;
        };
        /**
         * @example {
         *       "cameraId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *       "assignmentGeneration": 1,
         *       "assignmentStartedAtUtc": "2026-11-20T09:30:00.000Z",
         *       "revision": 1,
         *       "isPaused": true,
         *       "captureIntervalMinutes": 15,
         *       "retentionDays": 90,
         *       "captureWidth": 2560,
         *       "captureHeight": 1440,
         *       "jpegQuality": 85,
         *       "timeZone": "Europe/Oslo",
         *       "captureWindow": {
         *         "start": "07:00",
         *         "end": "19:00",
         *         "daysOfWeek": [
         *           1,
         *           2,
         *           3,
         *           4,
         *           5
         *         ]
         *       },
         *       "locationLatitude": 59.9139,
         *       "locationLongitude": 10.7522,
         *       "serverTimeUtc": "2026-11-20T09:30:00.000Z",
         *       "limits": {
         *         "maxSizeBytes": 1,
         *         "maxPixels": 1,
         *         "maxPendingUploads": 1,
         *         "newUploadsPerMinute": 1,
         *         "requestsPerMinute": 1,
         *         "uploadUrlSeconds": 1,
         *         "operationSeconds": 1,
         *         "maxFutureSeconds": 1
         *       }
         *     }
         */
        CameraConfiguration: {
            assignmentGeneration: number;
            /**
             * Format: date-time
             * @description When the camera's present assignment to its location began. Images from before it are refused, except under the first assignment.
             * @example 2026-11-20T09:30:00.000Z
             */
            assignmentStartedAtUtc: string;
            /**
             * Format: uuid
             * @example 0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10
             */
            cameraId: string;
            /**
             * @description Height of an image in pixels.
             * @example 1440
             */
            captureHeight: number;
            /**
             * @description Minutes between two images.
             * @example 15
             */
            captureIntervalMinutes: number;
            /**
             * @description Width of an image in pixels. Width times height is at most 24 megapixels.
             * @example 2560
             */
            captureWidth: number;
            /**
             * @description Local time in which the camera takes images. Null: around the clock.
             * @example {
             *       "start": "07:00",
             *       "end": "19:00",
             *       "daysOfWeek": [
             *         1,
             *         2,
             *         3,
             *         4,
             *         5
             *       ]
             *     }
             */
            captureWindow: components["schemas"]["CaptureWindow"] | null;
            /**
             * @description A paused camera takes no new images. Images that wait on the device are still uploaded.
             * @example true
             */
            isPaused: boolean;
            /**
             * @description Quality of the JPEG encoder: 100 is the best.
             * @example 85
             */
            jpegQuality: number;
            limits: {
                maxFutureSeconds: number;
                maxPendingUploads: number;
                maxPixels: number;
                maxSizeBytes: number;
                newUploadsPerMinute: number;
                operationSeconds: number;
                requestsPerMinute: number;
                uploadUrlSeconds: number;
            };
            /** @description Degrees. Coordinates change without a new revision: read them with every request. */
            locationLatitude: number | null;
            locationLongitude: number | null;
            /**
             * @description Days that an image is kept after its capture. The organization's entitlements limit them.
             * @example 90
             */
            retentionDays: number;
            /** @description Revision of the configuration. Send it as `appliedRevision` of the next heartbeat. */
            revision: number;
            /**
             * Format: date-time
             * @example 2026-11-20T09:30:00.000Z
             */
            serverTimeUtc: string;
            /**
             * @description IANA name of the time zone in which the camera's days and its capture window are read.
             * @example Europe/Oslo
             */
            timeZone: string;
        };
        /**
         * @example {
         *       "name": "North gate",
         *       "description": "On the mast beside the north gate.",
         *       "isPaused": true,
         *       "captureIntervalMinutes": 15,
         *       "retentionDays": 90,
         *       "captureWidth": 2560,
         *       "captureHeight": 1440,
         *       "jpegQuality": 85,
         *       "timeZone": "Europe/Oslo",
         *       "captureWindow": {
         *         "start": "07:00",
         *         "end": "19:00",
         *         "daysOfWeek": [
         *           1,
         *           2,
         *           3,
         *           4,
         *           5
         *         ]
         *       }
         *     }
         */
        CameraCreate: {
            /**
             * @description Height of an image in pixels. Default: 1080.
             * @example 1440
             */
            captureHeight?: number;
            /**
             * @description Minutes between two images. Default: 20.
             * @example 15
             */
            captureIntervalMinutes?: number;
            /**
             * @description Width of an image in pixels. Width times height is at most 24 megapixels. Default: 1920.
             * @example 2560
             */
            captureWidth?: number;
            /**
             * @description Local time in which the camera takes images. Null: around the clock. Default: null.
             * @example {
             *       "start": "07:00",
             *       "end": "19:00",
             *       "daysOfWeek": [
             *         1,
             *         2,
             *         3,
             *         4,
             *         5
             *       ]
             *     }
             */
            captureWindow?: components["schemas"]["CaptureWindow"] | null;
            /**
             * @description Free text about the camera. Default: "".
             * @example On the mast beside the north gate.
             */
            description?: string;
            /**
             * @description A paused camera takes no new images. Images that wait on the device are still uploaded. Default: false.
             * @example true
             */
            isPaused?: boolean;
            /**
             * @description Quality of the JPEG encoder: 100 is the best. Default: 90.
             * @example 85
             */
            jpegQuality?: number;
            /**
             * @description Name of the camera, one line.
             * @example North gate
             */
            name: string;
            /**
             * @description Days that an image is kept after its capture. The organization's entitlements limit them. Default: 30.
             * @example 90
             */
            retentionDays?: number;
            /**
             * @description IANA name of the time zone in which the camera's days and its capture window are read. Default: "UTC".
             * @example Europe/Oslo
             */
            timeZone?: string;
        };
        /**
         * @example {
         *       "cameraId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *       "credentialId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *       "assignmentGeneration": 1
         *     }
         */
        CameraCredential: {
            assignmentGeneration: number;
            /**
             * Format: uuid
             * @example 0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10
             */
            cameraId: string;
            /**
             * Format: uuid
             * @example 0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10
             */
            credentialId: string;
        };
        /**
         * @description The last heartbeat of the device.
         * @example {
         *       "appliedRevision": 1,
         *       "lastCaptureAtUtc": "2026-11-20T09:30:00.000Z",
         *       "queueCount": 1,
         *       "queueBytes": 1,
         *       "freeBytes": 12884901888,
         *       "oldestPendingAtUtc": "2026-11-20T09:30:00.000Z",
         *       "errorCode": "text"
         *     }
         */
        CameraDevice: {
            appliedRevision: number;
            errorCode: string | null;
            freeBytes: number;
            /**
             * Format: date-time
             * @example 2026-11-20T09:30:00.000Z
             */
            lastCaptureAtUtc: string | null;
            /**
             * Format: date-time
             * @example 2026-11-20T09:30:00.000Z
             */
            oldestPendingAtUtc: string | null;
            queueBytes: number;
            /** @description Images that wait on the device. */
            queueCount: number;
        };
        /**
         * @example {
         *       "pairingCode": "7KQ2-M9XD",
         *       "expiresAtUtc": "2026-11-20T09:30:00.000Z"
         *     }
         */
        CameraEnrollment: {
            /**
             * Format: date-time
             * @example 2026-11-20T09:30:00.000Z
             */
            expiresAtUtc: string;
            pairingCode: string;
        };
        /**
         * @example {
         *       "pairingCode": "7KQ2-M9XD",
         *       "credentialSecret": "5e884898da28047151d0e56f8dc6292773603d0d6aabbdd62a11ef721d1542d8",
         *       "redemptionId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *       "cameraId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10"
         *     }
         */
        CameraEnrollmentRedeem: {
            /**
             * Format: uuid
             * @description The camera that the device has or expects. A code of another camera is refused with `other-camera`, before anything changes.
             * @example 0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10
             */
            cameraId?: string;
            /** @description A secret that the device makes and keeps. */
            credentialSecret: string;
            /** @example 7KQ2-M9XD */
            pairingCode: string;
            /**
             * Format: uuid
             * @example 0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10
             */
            redemptionId: string;
        };
        /**
         * @example {
         *       "operationId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *       "status": "queued",
         *       "fromUtc": "2026-11-20T09:30:00.000Z",
         *       "toUtc": "2026-11-20T09:30:00.000Z",
         *       "imageCount": 1,
         *       "totalBytes": 52428800,
         *       "progress": {
         *         "done": 1,
         *         "total": 1
         *       },
         *       "downloadUrl": "text",
         *       "expiresAtUtc": "2026-11-20T09:30:00.000Z",
         *       "createdAtUtc": "2026-11-20T09:30:00.000Z",
         *       "error": {
         *         "code": "text",
         *         "detail": "Correct these and send it again: name: Required."
         *       }
         *     }
         */
        CameraExport: {
            /**
             * Format: date-time
             * @example 2026-11-20T09:30:00.000Z
             */
            createdAtUtc: string;
            /** @description An address that is valid for six hours. Access is checked on every use. It supports Range and If-Range. */
            downloadUrl: string | null;
            error: {
                code: string;
                detail: string;
            } | null;
            /**
             * Format: date-time
             * @description The latest time at which the export itself expires.
             * @example 2026-11-20T09:30:00.000Z
             */
            expiresAtUtc: string | null;
            /**
             * Format: date-time
             * @example 2026-11-20T09:30:00.000Z
             */
            fromUtc: string | null;
            /** @description Number of images. Null until the export is ready, like the size of the ZIP. */
            imageCount: number | null;
            /**
             * Format: uuid
             * @example 0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10
             */
            operationId: string;
            progress: {
                done: number;
                total: number;
            };
            /** @enum {string} */
            status: "queued" | "preparing" | "ready" | "failed" | "expired";
            totalBytes: number | null;
            /**
             * Format: date-time
             * @example 2026-11-20T09:30:00.000Z
             */
            toUtc: string | null;
        };
        /**
         * @example {
         *       "fromUtc": "2026-11-20T09:30:00.000Z",
         *       "toUtc": "2026-11-20T09:30:00.000Z"
         *     }
         */
        CameraExportCreate: {
            /**
             * Format: date-time
             * @example 2026-11-20T09:30:00.000Z
             */
            fromUtc?: string;
            /**
             * Format: date-time
             * @example 2026-11-20T09:30:00.000Z
             */
            toUtc?: string;
        };
        /**
         * @example {
         *       "captureId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *       "capturedAtUtc": "2026-11-20T09:30:00.000Z",
         *       "thumbnailUrl": "https://docs.example.org/objects/thumbnail.jpg"
         *     }
         */
        CameraFrame: {
            /**
             * Format: date-time
             * @example 2026-11-20T09:30:00.000Z
             */
            capturedAtUtc: string;
            /**
             * Format: uuid
             * @example 0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10
             */
            captureId: string;
            thumbnailUrl: string;
        };
        /**
         * @example {
         *       "frames": [
         *         {
         *           "captureId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *           "capturedAtUtc": "2026-11-20T09:30:00.000Z",
         *           "thumbnailUrl": "https://docs.example.org/objects/thumbnail.jpg"
         *         }
         *       ],
         *       "urlsExpireAtUtc": "2026-11-20T09:30:00.000Z"
         *     }
         */
        CameraFrameList: {
            frames: components["schemas"]["CameraFrame"][];
            /**
             * Format: date-time
             * @example 2026-11-20T09:30:00.000Z
             */
            urlsExpireAtUtc: string | null;
        };
        /**
         * @example {
         *       "appliedRevision": 1,
         *       "lastCaptureAtUtc": "2026-11-20T09:30:00.000Z",
         *       "queueCount": 1,
         *       "queueBytes": 1,
         *       "freeBytes": 12884901888,
         *       "oldestPendingAtUtc": "2026-11-20T09:30:00.000Z",
         *       "errorCode": "camera-open-failed",
         *       "instanceId": "text"
         *     }
         */
        CameraHeartbeat: {
            /** @description Revision of the configuration that the device uses. 0: none yet. */
            appliedRevision: number;
            /** @example camera-open-failed */
            errorCode?: string | null;
            freeBytes: number;
            /** @description An id that the device makes anew at each start. With it, the service finds two devices that use one credential. */
            instanceId?: string;
            /**
             * Format: date-time
             * @example 2026-11-20T09:30:00.000Z
             */
            lastCaptureAtUtc: string | null;
            /**
             * Format: date-time
             * @example 2026-11-20T09:30:00.000Z
             */
            oldestPendingAtUtc: string | null;
            queueBytes: number;
            /** @description Number of images that wait on the device. */
            queueCount: number;
        };
        /**
         * @example {
         *       "revision": 1,
         *       "serverTimeUtc": "2026-11-20T09:30:00.000Z",
         *       "isIdentityShared": false
         *     }
         */
        CameraHeartbeatResponse: {
            /** @description Another device reported with the same credential in the last minutes, as its `instanceId` shows. */
            isIdentityShared: boolean;
            /** @description The present revision. Fetch the configuration when the device uses another one. */
            revision: number;
            /**
             * Format: date-time
             * @example 2026-11-20T09:30:00.000Z
             */
            serverTimeUtc: string;
        };
        /**
         * @example {
         *       "cause": "offline",
         *       "sinceUtc": "2026-11-20T09:30:00.000Z"
         *     }
         */
        CameraOutage: {
            /**
             * @description `offline`: the device sends nothing. `camera-fault`: the device sends heartbeats and no images.
             * @enum {string}
             */
            cause: "offline" | "camera-fault";
            /**
             * Format: date-time
             * @example 2026-11-20T09:30:00.000Z
             */
            sinceUtc: string;
        };
        /**
         * @example {
         *       "baseRevision": 1,
         *       "locationId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *       "cancelPending": false
         *     }
         */
        CameraRelink: {
            baseRevision: number;
            cancelPending?: boolean;
            /**
             * Format: uuid
             * @example 0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10
             */
            locationId: string;
        };
        /**
         * @example {
         *       "id": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *       "locationId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *       "name": "North yard",
         *       "cameraIds": [
         *         "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10"
         *       ],
         *       "revision": 1,
         *       "createdAtUtc": "2026-11-20T09:30:00.000Z",
         *       "createdBy": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *       "expiresAtUtc": "2026-11-20T09:30:00.000Z",
         *       "showFromUtc": "2026-11-20T09:30:00.000Z",
         *       "showUntilUtc": "2026-11-20T09:30:00.000Z",
         *       "hasPasscode": false,
         *       "hideMetadata": false,
         *       "showGapCauses": false,
         *       "revokedAtUtc": "2026-11-20T09:30:00.000Z",
         *       "lastUsedAtUtc": "2026-11-20T09:30:00.000Z"
         *     }
         */
        CameraShare: {
            cameraIds: string[];
            /**
             * Format: date-time
             * @example 2026-11-20T09:30:00.000Z
             */
            createdAtUtc: string;
            /**
             * Format: uuid
             * @example 0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10
             */
            createdBy: string | null;
            /**
             * Format: date-time
             * @example 2026-11-20T09:30:00.000Z
             */
            expiresAtUtc: string | null;
            hasPasscode: boolean;
            hideMetadata: boolean;
            /**
             * Format: uuid
             * @example 0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10
             */
            id: string;
            /**
             * Format: date-time
             * @description Exact to a few minutes.
             * @example 2026-11-20T09:30:00.000Z
             */
            lastUsedAtUtc: string | null;
            /**
             * Format: uuid
             * @example 0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10
             */
            locationId: string;
            name: string;
            revision: number;
            /**
             * Format: date-time
             * @example 2026-11-20T09:30:00.000Z
             */
            revokedAtUtc: string | null;
            /**
             * Format: date-time
             * @example 2026-11-20T09:30:00.000Z
             */
            showFromUtc: string | null;
            showGapCauses: boolean;
            /**
             * Format: date-time
             * @example 2026-11-20T09:30:00.000Z
             */
            showUntilUtc: string | null;
        };
        /**
         * @example {
         *       "name": "North yard",
         *       "cameraIds": [
         *         "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10"
         *       ],
         *       "expiresAtUtc": "2026-11-20T09:30:00.000Z",
         *       "showFromUtc": "2026-11-20T09:30:00.000Z",
         *       "showUntilUtc": "2026-11-20T09:30:00.000Z",
         *       "passcode": "harbour 7",
         *       "hideMetadata": false,
         *       "showGapCauses": false
         *     }
         */
        CameraShareCreate: {
            cameraIds: string[];
            /**
             * Format: date-time
             * @example 2026-11-20T09:30:00.000Z
             */
            expiresAtUtc?: string | null;
            /** @description Whether images have pixels, orientation and colours alone, and captures no facts of the original. Default for a new link: true. */
            hideMetadata?: boolean;
            /** @description The page of the link shows it. */
            name: string;
            /**
             * Format: password
             * @description Visitors of the link must enter it first: 6 to 64 characters. Null: none.
             * @example harbour 7
             */
            passcode?: string | null;
            /**
             * Format: date-time
             * @description Only images from this time on are shown.
             * @example 2026-11-20T09:30:00.000Z
             */
            showFromUtc?: string | null;
            /** @description Whether gaps of the timeline show their causes. Default for a new link: true. */
            showGapCauses?: boolean;
            /**
             * Format: date-time
             * @description Only images up to this time are shown.
             * @example 2026-11-20T09:30:00.000Z
             */
            showUntilUtc?: string | null;
        };
        /**
         * @example {
         *       "permissions": {
         *         "canCreate": false,
         *         "canManage": false
         *       },
         *       "links": [
         *         {
         *           "id": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *           "locationId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *           "name": "North yard",
         *           "cameraIds": [
         *             "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10"
         *           ],
         *           "revision": 1,
         *           "createdAtUtc": "2026-11-20T09:30:00.000Z",
         *           "createdBy": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *           "expiresAtUtc": "2026-11-20T09:30:00.000Z",
         *           "showFromUtc": "2026-11-20T09:30:00.000Z",
         *           "showUntilUtc": "2026-11-20T09:30:00.000Z",
         *           "hasPasscode": false,
         *           "hideMetadata": false,
         *           "showGapCauses": false,
         *           "revokedAtUtc": "2026-11-20T09:30:00.000Z",
         *           "lastUsedAtUtc": "2026-11-20T09:30:00.000Z"
         *         }
         *       ]
         *     }
         */
        CameraShareList: {
            links: components["schemas"]["CameraShare"][];
            permissions: {
                canCreate: boolean;
                canManage: boolean;
            };
        };
        /**
         * @example {
         *       "baseRevision": 1
         *     }
         */
        CameraShareRevoke: {
            baseRevision: number;
        };
        /**
         * @example {
         *       "baseRevision": 1,
         *       "name": "North yard",
         *       "cameraIds": [
         *         "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10"
         *       ],
         *       "expiresAtUtc": "2026-11-20T09:30:00.000Z",
         *       "showFromUtc": "2026-11-20T09:30:00.000Z",
         *       "showUntilUtc": "2026-11-20T09:30:00.000Z",
         *       "passcode": "harbour 7",
         *       "hideMetadata": false,
         *       "showGapCauses": false
         *     }
         */
        CameraShareUpdate: {
            baseRevision: number;
            cameraIds?: string[];
            /**
             * Format: date-time
             * @example 2026-11-20T09:30:00.000Z
             */
            expiresAtUtc?: string | null;
            /** @description Whether images have pixels, orientation and colours alone, and captures no facts of the original. Default for a new link: true. */
            hideMetadata?: boolean;
            /** @description The page of the link shows it. */
            name?: string;
            /**
             * Format: password
             * @description Visitors of the link must enter it first: 6 to 64 characters. Null: none.
             * @example harbour 7
             */
            passcode?: string | null;
            /**
             * Format: date-time
             * @description Only images from this time on are shown.
             * @example 2026-11-20T09:30:00.000Z
             */
            showFromUtc?: string | null;
            /** @description Whether gaps of the timeline show their causes. Default for a new link: true. */
            showGapCauses?: boolean;
            /**
             * Format: date-time
             * @description Only images up to this time are shown.
             * @example 2026-11-20T09:30:00.000Z
             */
            showUntilUtc?: string | null;
        };
        /**
         * @example {
         *       "first": {
         *         "id": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *         "cameraId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *         "capturedAtUtc": "2026-11-20T09:30:00.000Z",
         *         "width": 1920,
         *         "height": 1080,
         *         "clockQuality": "synchronized",
         *         "contentType": "image/jpeg",
         *         "locationId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *         "receivedAtUtc": "2026-11-20T09:30:00.000Z",
         *         "sizeBytes": 52428,
         *         "checksumSha256": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
         *       },
         *       "last": {
         *         "id": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *         "cameraId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *         "capturedAtUtc": "2026-11-20T09:30:00.000Z",
         *         "width": 1920,
         *         "height": 1080,
         *         "clockQuality": "synchronized",
         *         "contentType": "image/jpeg",
         *         "locationId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *         "receivedAtUtc": "2026-11-20T09:30:00.000Z",
         *         "sizeBytes": 52428,
         *         "checksumSha256": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
         *       },
         *       "gaps": [
         *         {
         *           "startUtc": "2026-11-20T09:30:00.000Z",
         *           "endUtc": "2026-11-20T09:30:00.000Z",
         *           "cause": "paused"
         *         }
         *       ],
         *       "openGap": {
         *         "startUtc": "2026-11-20T09:30:00.000Z",
         *         "endUtc": "2026-11-20T09:30:00.000Z",
         *         "cause": "paused"
         *       },
         *       "watermark": 1
         *     }
         */
        CameraTimeline: {
            first: components["schemas"]["Capture"] | null;
            /** @description The 128 largest gaps between two consecutive captures, in order of time. */
            gaps: components["schemas"]["TimelineGap"][];
            last: components["schemas"]["Capture"] | null;
            /** @description The time from the last capture until the service read the timeline, at most 30 seconds ago, if it lasts three intervals and half an hour. Null for a range, for a retired camera, at a location that the camera left, and after the time of a share link. */
            openGap: components["schemas"]["TimelineGap"] | null;
            /** @description Changes when captures or gaps between them may have changed. It grows when an image of the camera is published or removed. At a location that the camera left, it is a hash of them. */
            watermark: number;
        };
        /**
         * @example {
         *       "baseRevision": 1,
         *       "name": "North gate",
         *       "description": "On the mast beside the north gate.",
         *       "isPaused": true,
         *       "captureIntervalMinutes": 15,
         *       "retentionDays": 90,
         *       "captureWidth": 2560,
         *       "captureHeight": 1440,
         *       "jpegQuality": 85,
         *       "timeZone": "Europe/Oslo",
         *       "captureWindow": {
         *         "start": "07:00",
         *         "end": "19:00",
         *         "daysOfWeek": [
         *           1,
         *           2,
         *           3,
         *           4,
         *           5
         *         ]
         *       },
         *       "confirmRetentionReduction": false
         *     }
         */
        CameraUpdate: {
            baseRevision: number;
            /**
             * @description Height of an image in pixels.
             * @example 1440
             */
            captureHeight?: number;
            /**
             * @description Minutes between two images.
             * @example 15
             */
            captureIntervalMinutes?: number;
            /**
             * @description Width of an image in pixels. Width times height is at most 24 megapixels.
             * @example 2560
             */
            captureWidth?: number;
            /**
             * @description Local time in which the camera takes images. Null: around the clock.
             * @example {
             *       "start": "07:00",
             *       "end": "19:00",
             *       "daysOfWeek": [
             *         1,
             *         2,
             *         3,
             *         4,
             *         5
             *       ]
             *     }
             */
            captureWindow?: components["schemas"]["CaptureWindow"] | null;
            /** @description Must be true to keep images for fewer days than now: older images expire at once. */
            confirmRetentionReduction?: boolean;
            /**
             * @description Free text about the camera.
             * @example On the mast beside the north gate.
             */
            description?: string;
            /**
             * @description A paused camera takes no new images. Images that wait on the device are still uploaded.
             * @example true
             */
            isPaused?: boolean;
            /**
             * @description Quality of the JPEG encoder: 100 is the best.
             * @example 85
             */
            jpegQuality?: number;
            /**
             * @description Name of the camera, one line.
             * @example North gate
             */
            name?: string;
            /**
             * @description Days that an image is kept after its capture. The organization's entitlements limit them.
             * @example 90
             */
            retentionDays?: number;
            /**
             * @description IANA name of the time zone in which the camera's days and its capture window are read.
             * @example Europe/Oslo
             */
            timeZone?: string;
        };
        /**
         * @example {
         *       "Documents": "Read",
         *       "LocationView": "Read"
         *     }
         */
        Capabilities: {
            /** @enum {string} */
            ClusterView?: "None" | "Read" | "Write";
            /** @enum {string} */
            Documents?: "None" | "Read" | "Write";
            /** @enum {string} */
            ExternalShareLinksCreate?: "None" | "Read" | "Write";
            /** @enum {string} */
            ExternalShareLinksManage?: "None" | "Read" | "Write";
            /** @enum {string} */
            LocationBundles?: "None" | "Read" | "Write";
            /** @enum {string} */
            LocationCameras?: "None" | "Read" | "Write";
            /** @enum {string} */
            LocationView?: "None" | "Read" | "Write";
            /** @enum {string} */
            OrganizationView?: "None" | "Read" | "Write";
            /** @enum {string} */
            Reports?: "None" | "Read" | "Write";
        };
        /**
         * @example {
         *       "id": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *       "cameraId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *       "capturedAtUtc": "2026-11-20T09:30:00.000Z",
         *       "width": 1920,
         *       "height": 1080,
         *       "clockQuality": "synchronized",
         *       "contentType": "image/jpeg",
         *       "locationId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *       "receivedAtUtc": "2026-11-20T09:30:00.000Z",
         *       "sizeBytes": 52428,
         *       "checksumSha256": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
         *     }
         */
        Capture: {
            /**
             * Format: uuid
             * @example 0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10
             */
            cameraId: string;
            /**
             * Format: date-time
             * @example 2026-11-20T09:30:00.000Z
             */
            capturedAtUtc: string;
            checksumSha256: string;
            /** @enum {string} */
            clockQuality: "synchronized" | "estimated";
            /** @enum {string} */
            contentType: "image/jpeg";
            height: number;
            /**
             * Format: uuid
             * @example 0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10
             */
            id: string;
            /**
             * Format: uuid
             * @example 0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10
             */
            locationId: string;
            /**
             * Format: date-time
             * @example 2026-11-20T09:30:00.000Z
             */
            receivedAtUtc: string;
            sizeBytes: number;
            /** @description Pixels of the upright picture. */
            width: number;
        };
        /**
         * @example {
         *       "items": [
         *         {
         *           "id": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *           "cameraId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *           "capturedAtUtc": "2026-11-20T09:30:00.000Z",
         *           "width": 1920,
         *           "height": 1080,
         *           "clockQuality": "synchronized",
         *           "contentType": "image/jpeg",
         *           "locationId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *           "receivedAtUtc": "2026-11-20T09:30:00.000Z",
         *           "sizeBytes": 52428,
         *           "checksumSha256": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
         *         }
         *       ],
         *       "hasNextPage": false
         *     }
         */
        CaptureList: {
            hasNextPage: boolean;
            items: components["schemas"]["Capture"][];
        };
        /**
         * @example {
         *       "operationId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *       "captureId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *       "status": "pending-transfer",
         *       "expiresAtUtc": "2026-11-20T09:30:00.000Z",
         *       "uploadUrl": "https://docs.example.org/objects/staging?signature=secret",
         *       "uploadUrlExpiresAtUtc": "2026-11-20T09:30:00.000Z",
         *       "requiredHeaders": {},
         *       "statusUrl": "text",
         *       "receipt": {
         *         "captureId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *         "operationId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *         "sizeBytes": 52428,
         *         "checksumSha256": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
         *         "completedAtUtc": "2026-11-20T09:30:00.000Z"
         *       },
         *       "rejection": {
         *         "code": "text",
         *         "detail": "Correct these and send it again: name: Required."
         *       }
         *     }
         */
        CaptureOperation: {
            /**
             * Format: uuid
             * @example 0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10
             */
            captureId: string;
            /**
             * Format: date-time
             * @description The operation expires at this time unless it is finished.
             * @example 2026-11-20T09:30:00.000Z
             */
            expiresAtUtc: string;
            /**
             * Format: uuid
             * @example 0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10
             */
            operationId: string;
            receipt: components["schemas"]["CaptureReceipt"] | null;
            rejection: components["schemas"]["CaptureRejection"] | null;
            /** @description Send these headers unchanged with the PUT. */
            requiredHeaders: {
                [key: string]: string;
            };
            /** @enum {string} */
            status: "pending-transfer" | "verification-pending" | "completed" | "rejected" | "expired" | "cancelled";
            statusUrl: string;
            /** @description PUT the bytes to this address, without the camera's credential. Null when this request does not create an address. */
            uploadUrl: string | null;
            /**
             * Format: date-time
             * @example 2026-11-20T09:30:00.000Z
             */
            uploadUrlExpiresAtUtc: string | null;
        };
        /**
         * @example {
         *       "captureId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *       "assignmentGeneration": 1,
         *       "capturedAtUtc": "2026-11-20T09:30:00.000Z",
         *       "sizeBytes": 52428,
         *       "checksumSha256": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
         *       "clockQuality": "synchronized",
         *       "contentType": "image/jpeg"
         *     }
         */
        CaptureOperationCreate: {
            assignmentGeneration: number;
            /**
             * Format: date-time
             * @example 2026-11-20T09:30:00.000Z
             */
            capturedAtUtc: string;
            /**
             * Format: uuid
             * @example 0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10
             */
            captureId: string;
            checksumSha256: string;
            /** @enum {string} */
            clockQuality: "synchronized" | "estimated";
            /** @enum {string} */
            contentType: "image/jpeg";
            sizeBytes: number;
        };
        /**
         * @example {
         *       "items": [
         *         {
         *           "operationId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *           "captureId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *           "status": "pending-transfer",
         *           "expiresAtUtc": "2026-11-20T09:30:00.000Z",
         *           "uploadUrl": "https://docs.example.org/objects/staging?signature=secret",
         *           "uploadUrlExpiresAtUtc": "2026-11-20T09:30:00.000Z",
         *           "requiredHeaders": {},
         *           "statusUrl": "text",
         *           "receipt": {
         *             "captureId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *             "operationId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *             "sizeBytes": 52428,
         *             "checksumSha256": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
         *             "completedAtUtc": "2026-11-20T09:30:00.000Z"
         *           },
         *           "rejection": {
         *             "code": "text",
         *             "detail": "Correct these and send it again: name: Required."
         *           }
         *         }
         *       ]
         *     }
         */
        CaptureOperationList: {
            items: components["schemas"]["CaptureOperation"][];
        };
        /**
         * @description The image is published: the device may delete its bytes.
         * @example {
         *       "captureId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *       "operationId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *       "sizeBytes": 52428,
         *       "checksumSha256": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
         *       "completedAtUtc": "2026-11-20T09:30:00.000Z"
         *     }
         */
        CaptureReceipt: {
            /**
             * Format: uuid
             * @example 0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10
             */
            captureId: string;
            checksumSha256: string;
            /**
             * Format: date-time
             * @example 2026-11-20T09:30:00.000Z
             */
            completedAtUtc: string;
            /**
             * Format: uuid
             * @example 0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10
             */
            operationId: string;
            sizeBytes: number;
        };
        /**
         * @description The reason of the rejection. The decision is final.
         * @example {
         *       "code": "text",
         *       "detail": "Correct these and send it again: name: Required."
         *     }
         */
        CaptureRejection: {
            code: string;
            detail: string;
        };
        /**
         * @example {
         *       "capture": {
         *         "id": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *         "cameraId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *         "capturedAtUtc": "2026-11-20T09:30:00.000Z",
         *         "width": 1920,
         *         "height": 1080,
         *         "clockQuality": "synchronized",
         *         "contentType": "image/jpeg",
         *         "locationId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *         "receivedAtUtc": "2026-11-20T09:30:00.000Z",
         *         "sizeBytes": 52428,
         *         "checksumSha256": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
         *       }
         *     }
         */
        CaptureSeekResult: {
            capture: components["schemas"]["Capture"] | null;
        };
        /**
         * @example {
         *       "firstUtc": "2026-11-20T09:30:00.000Z",
         *       "stepsMs": [
         *         1
         *       ],
         *       "hasOlder": false
         *     }
         */
        CaptureTimes: {
            firstUtc: string | null;
            /** @description The range has older captures. Request them with a `toUtc` one millisecond before `firstUtc`. A response has at most 20000 times, the newest ones. */
            hasOlder: boolean;
            /** @description Milliseconds from each capture time to the next one, from `firstUtc` on. */
            stepsMs: number[];
        };
        /**
         * @example {
         *       "start": "07:00",
         *       "end": "19:00",
         *       "daysOfWeek": [
         *         1,
         *         2,
         *         3,
         *         4,
         *         5
         *       ]
         *     }
         */
        CaptureWindow: {
            daysOfWeek?: number[];
            /** @example 07:00 */
            end: string;
            /** @example 07:00 */
            start: string;
        };
        /**
         * @example {
         *       "unreadNotificationCount": 1,
         *       "highlightCount": 1
         *     }
         */
        ChatSummary: {
            highlightCount: number | null;
            unreadNotificationCount: number | null;
        };
        /**
         * @example {
         *       "id": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *       "organizationId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *       "name": "North yard",
         *       "description": "The yard north of the bridge.",
         *       "metadata": {},
         *       "capabilities": {
         *         "OrganizationView": "None",
         *         "ClusterView": "None",
         *         "LocationView": "None",
         *         "Documents": "None",
         *         "LocationBundles": "None",
         *         "LocationCameras": "None",
         *         "Reports": "None",
         *         "ExternalShareLinksCreate": "None",
         *         "ExternalShareLinksManage": "None"
         *       },
         *       "revision": 1,
         *       "createdAtUtc": "2026-11-20T09:30:00.000Z",
         *       "updatedAtUtc": "2026-11-20T09:30:00.000Z"
         *     }
         */
        Cluster: {
            capabilities: components["schemas"]["Levels"];
            /**
             * Format: date-time
             * @example 2026-11-20T09:30:00.000Z
             */
            createdAtUtc: string;
            description: string;
            /**
             * Format: uuid
             * @example 0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10
             */
            id: string;
            metadata: {
                [key: string]: unknown;
            };
            /** @example North yard */
            name: string;
            /**
             * Format: uuid
             * @example 0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10
             */
            organizationId: string | null;
            revision: number;
            /**
             * Format: date-time
             * @example 2026-11-20T09:30:00.000Z
             */
            updatedAtUtc: string;
        };
        /**
         * @example {
         *       "organizationId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *       "name": "North yard",
         *       "description": "The yard north of the bridge.",
         *       "metadata": {}
         *     }
         */
        ClusterCreate: {
            description?: string;
            metadata?: {
                [key: string]: unknown;
            };
            /** @example North yard */
            name: string;
            /**
             * Format: uuid
             * @description The organization of the cluster. Null: your personal workspace.
             * @example 0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10
             */
            organizationId: string | null;
        };
        /**
         * @example {
         *       "items": [
         *         {
         *           "id": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *           "organizationId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *           "name": "North yard",
         *           "description": "The yard north of the bridge.",
         *           "metadata": {},
         *           "capabilities": {
         *             "OrganizationView": "None",
         *             "ClusterView": "None",
         *             "LocationView": "None",
         *             "Documents": "None",
         *             "LocationBundles": "None",
         *             "LocationCameras": "None",
         *             "Reports": "None",
         *             "ExternalShareLinksCreate": "None",
         *             "ExternalShareLinksManage": "None"
         *           },
         *           "revision": 1,
         *           "createdAtUtc": "2026-11-20T09:30:00.000Z",
         *           "updatedAtUtc": "2026-11-20T09:30:00.000Z"
         *         }
         *       ],
         *       "nextCursor": "text"
         *     }
         */
        ClusterList: {
            items: components["schemas"]["Cluster"][];
            /** @description Send this as `cursor` to get the next page. Null on the last page. */
            nextCursor: string | null;
        };
        /**
         * @example {
         *       "name": "North yard",
         *       "description": "The yard north of the bridge.",
         *       "metadata": {},
         *       "baseRevision": 1
         *     }
         */
        ClusterUpdate: {
            baseRevision?: number;
            description?: string;
            metadata?: {
                [key: string]: unknown;
            };
            /** @example North yard */
            name?: string;
        };
        /**
         * @example {
         *       "id": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *       "locationId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *       "name": "North yard",
         *       "cameraIds": [
         *         "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10"
         *       ],
         *       "revision": 1,
         *       "createdAtUtc": "2026-11-20T09:30:00.000Z",
         *       "createdBy": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *       "expiresAtUtc": "2026-11-20T09:30:00.000Z",
         *       "showFromUtc": "2026-11-20T09:30:00.000Z",
         *       "showUntilUtc": "2026-11-20T09:30:00.000Z",
         *       "hasPasscode": false,
         *       "hideMetadata": false,
         *       "showGapCauses": false,
         *       "revokedAtUtc": "2026-11-20T09:30:00.000Z",
         *       "lastUsedAtUtc": "2026-11-20T09:30:00.000Z",
         *       "token": "svcinv1.0192f0c1.secret",
         *       "url": "https://docs.example.org/objects/file?signature=secret"
         *     }
         */
        CreatedCameraShare: {
            cameraIds: string[];
            /**
             * Format: date-time
             * @example 2026-11-20T09:30:00.000Z
             */
            createdAtUtc: string;
            /**
             * Format: uuid
             * @example 0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10
             */
            createdBy: string | null;
            /**
             * Format: date-time
             * @example 2026-11-20T09:30:00.000Z
             */
            expiresAtUtc: string | null;
            hasPasscode: boolean;
            hideMetadata: boolean;
            /**
             * Format: uuid
             * @example 0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10
             */
            id: string;
            /**
             * Format: date-time
             * @description Exact to a few minutes.
             * @example 2026-11-20T09:30:00.000Z
             */
            lastUsedAtUtc: string | null;
            /**
             * Format: uuid
             * @example 0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10
             */
            locationId: string;
            name: string;
            revision: number;
            /**
             * Format: date-time
             * @example 2026-11-20T09:30:00.000Z
             */
            revokedAtUtc: string | null;
            /**
             * Format: date-time
             * @example 2026-11-20T09:30:00.000Z
             */
            showFromUtc: string | null;
            showGapCauses: boolean;
            /**
             * Format: date-time
             * @example 2026-11-20T09:30:00.000Z
             */
            showUntilUtc: string | null;
            /** @description The secret. Only this response contains it. Requests with the link send it in the header X-Camera-Share. */
            token: string;
            /** @description A page that shows the cameras; the token is in its fragment. */
            url: string;
        };
        /**
         * @example {
         *       "id": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *       "email": "ada@example.org",
         *       "role": "owner",
         *       "overrides": {
         *         "Documents": "Read",
         *         "LocationView": "Read"
         *       },
         *       "invitedBy": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *       "createdAtUtc": "2026-11-20T09:30:00.000Z",
         *       "expiresAtUtc": "2026-11-20T09:30:00.000Z",
         *       "token": "svcinv1.0192f0c1.secret",
         *       "link": "https://docs.example.org/invitation#svcinv1.0192f0c1.secret",
         *       "isMailed": false
         *     }
         */
        CreatedInvitation: components["schemas"]["Invitation"] & {
            /** @description Whether a separate link was mailed. The mailed link verifies the address. */
            isMailed: boolean;
            /** @description The token as a link that you can send to the person. */
            link: string;
            /** @description Shown only in this answer. Register with it, or accept it when signed in. It does not verify the address. */
            token: string;
        };
        /**
         * @example {
         *       "id": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *       "name": "North yard",
         *       "organizationIds": [
         *         "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10"
         *       ],
         *       "capabilities": {
         *         "Documents": "Read",
         *         "LocationView": "Read"
         *       },
         *       "revision": 1,
         *       "createdAtUtc": "2026-11-20T09:30:00.000Z",
         *       "expiresAtUtc": "2026-11-20T09:30:00.000Z",
         *       "lastUsedAtUtc": "2026-11-20T09:30:00.000Z",
         *       "token": "svcinv1.0192f0c1.secret"
         *     }
         */
        CreatedPersonalAccessToken: components["schemas"]["PersonalAccessToken"] & {
            /** @description The secret. Only this response contains it. */
            token: string;
        };
        /**
         * @example {
         *       "id": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *       "organizationId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *       "locationId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *       "name": "North gate",
         *       "description": "On the mast beside the north gate.",
         *       "isPaused": true,
         *       "captureIntervalMinutes": 15,
         *       "retentionDays": 90,
         *       "captureWidth": 2560,
         *       "captureHeight": 1440,
         *       "jpegQuality": 85,
         *       "timeZone": "Europe/Oslo",
         *       "captureWindow": {
         *         "start": "07:00",
         *         "end": "19:00",
         *         "daysOfWeek": [
         *           1,
         *           2,
         *           3,
         *           4,
         *           5
         *         ]
         *       },
         *       "status": "active",
         *       "pairing": "none",
         *       "assignmentGeneration": 1,
         *       "configurationPending": false,
         *       "silence": {
         *         "cause": "offline",
         *         "sinceUtc": "2026-11-20T09:30:00.000Z"
         *       },
         *       "lastSeenAtUtc": "2026-11-20T09:30:00.000Z",
         *       "lastCaptureAtUtc": "2026-11-20T09:30:00.000Z",
         *       "device": {
         *         "appliedRevision": 1,
         *         "lastCaptureAtUtc": "2026-11-20T09:30:00.000Z",
         *         "queueCount": 1,
         *         "queueBytes": 1,
         *         "freeBytes": 12884901888,
         *         "oldestPendingAtUtc": "2026-11-20T09:30:00.000Z",
         *         "errorCode": "text"
         *       },
         *       "identicalFrames": 1,
         *       "revision": 1,
         *       "createdAtUtc": "2026-11-20T09:30:00.000Z",
         *       "updatedAtUtc": "2026-11-20T09:30:00.000Z",
         *       "isHistorical": false
         *     }
         */
        CurrentCamera: components["schemas"]["Camera"] & {
            /** @enum {boolean} */
            isHistorical: false;
        };
        /**
         * @example {
         *       "timeZone": "Europe/Oslo",
         *       "days": [
         *         {
         *           "date": "2026-11-20",
         *           "atUtc": "2026-11-20T09:30:00.000Z",
         *           "capture": {
         *             "id": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *             "cameraId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *             "capturedAtUtc": "2026-11-20T09:30:00.000Z",
         *             "width": 1920,
         *             "height": 1080,
         *             "clockQuality": "synchronized",
         *             "contentType": "image/jpeg",
         *             "locationId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *             "receivedAtUtc": "2026-11-20T09:30:00.000Z",
         *             "sizeBytes": 52428,
         *             "checksumSha256": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
         *           },
         *           "thumbnailUrl": "https://docs.example.org/objects/thumbnail.jpg"
         *         }
         *       ],
         *       "urlsExpireAtUtc": "2026-11-20T09:30:00.000Z"
         *     }
         */
        DayStrip: {
            days: components["schemas"]["DayStripDay"][];
            timeZone: string;
            /**
             * Format: date-time
             * @example 2026-11-20T09:30:00.000Z
             */
            urlsExpireAtUtc: string | null;
        };
        /**
         * @example {
         *       "date": "2026-11-20",
         *       "atUtc": "2026-11-20T09:30:00.000Z",
         *       "capture": {
         *         "id": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *         "cameraId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *         "capturedAtUtc": "2026-11-20T09:30:00.000Z",
         *         "width": 1920,
         *         "height": 1080,
         *         "clockQuality": "synchronized",
         *         "contentType": "image/jpeg",
         *         "locationId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *         "receivedAtUtc": "2026-11-20T09:30:00.000Z",
         *         "sizeBytes": 52428,
         *         "checksumSha256": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
         *       },
         *       "thumbnailUrl": "https://docs.example.org/objects/thumbnail.jpg"
         *     }
         */
        DayStripDay: {
            /**
             * Format: date-time
             * @description The moment at which local clocks show the requested time on this day.
             * @example 2026-11-20T09:30:00.000Z
             */
            atUtc: string;
            capture: components["schemas"]["Capture"] | null;
            /** Format: date */
            date: string;
            thumbnailUrl: string | null;
        };
        /**
         * @example {
         *       "fromDate": "2026-03-29",
         *       "toDate": "2026-03-29",
         *       "localTime": "07:30",
         *       "timeZone": "Europe/Oslo"
         *     }
         */
        DayStripRequest: {
            /**
             * Format: date
             * @example 2026-03-29
             */
            fromDate: string;
            /** @example 07:30 */
            localTime: string;
            /**
             * @description Default: the camera's time zone at this location.
             * @example Europe/Oslo
             */
            timeZone?: string;
            /**
             * Format: date
             * @example 2026-03-29
             */
            toDate: string;
        };
        /**
         * @example {
         *       "id": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *       "locationId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *       "clusterId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *       "organizationId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *       "path": "plans/2026",
         *       "fileName": "inspection.pdf",
         *       "contentType": "application/pdf",
         *       "sizeBytes": 52428,
         *       "checksumSha256": "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
         *       "version": 1,
         *       "versionCount": 1,
         *       "textStatus": "pending",
         *       "textDetail": "text",
         *       "pageCount": 1,
         *       "recognition": {
         *         "language": "text",
         *         "confidence": 1
         *       },
         *       "derivativeStatus": "none",
         *       "derivativeDetail": "text",
         *       "width": 1920,
         *       "height": 1080,
         *       "capabilities": {
         *         "OrganizationView": "None",
         *         "ClusterView": "None",
         *         "LocationView": "None",
         *         "Documents": "None",
         *         "LocationBundles": "None",
         *         "LocationCameras": "None",
         *         "Reports": "None",
         *         "ExternalShareLinksCreate": "None",
         *         "ExternalShareLinksManage": "None"
         *       },
         *       "revision": 1,
         *       "createdBy": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *       "createdAtUtc": "2026-11-20T09:30:00.000Z",
         *       "updatedAtUtc": "2026-11-20T09:30:00.000Z"
         *     }
         */
        Document: {
            capabilities: components["schemas"]["Levels"];
            /**
             * @description SHA-256 of the bytes.
             * @example e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855
             */
            checksumSha256: string;
            /**
             * Format: uuid
             * @example 0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10
             */
            clusterId: string;
            contentType: string;
            /**
             * Format: date-time
             * @example 2026-11-20T09:30:00.000Z
             */
            createdAtUtc: string;
            /**
             * Format: uuid
             * @example 0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10
             */
            createdBy: string | null;
            /** @description The reason why the derivatives failed. */
            derivativeDetail: string | null;
            /**
             * @description State of the small and medium derivatives. `none`: the file is not a picture.
             * @enum {string}
             */
            derivativeStatus: "none" | "pending" | "ready" | "failed";
            fileName: string;
            height: number | null;
            /**
             * Format: uuid
             * @example 0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10
             */
            id: string;
            /**
             * Format: uuid
             * @example 0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10
             */
            locationId: string;
            /**
             * Format: uuid
             * @example 0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10
             */
            organizationId: string | null;
            pageCount: number | null;
            path: string;
            /** @description How the text of scanned pages was recognized. Null for other documents. */
            recognition: {
                /** @description The mean confidence of the words, 0 to 100. */
                confidence: number;
                /** @description The main language, BCP 47. Null if unknown. */
                language: string | null;
            } | null;
            revision: number;
            sizeBytes: number;
            textDetail: string | null;
            /** @enum {string} */
            textStatus: "pending" | "indexed" | "empty" | "encrypted" | "damaged" | "unsupported" | "unknown-charset" | "too-large" | "failed" | "recognizing" | "recognized" | "illegible" | "recognition-off" | "recognition-limit";
            /**
             * Format: date-time
             * @example 2026-11-20T09:30:00.000Z
             */
            updatedAtUtc: string;
            version: number;
            versionCount: number;
            /** @description Width in pixels, after the rotation that the file's EXIF data asks for. */
            width: number | null;
        };
        /**
         * @example {
         *       "items": [
         *         {
         *           "id": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *           "locationId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *           "clusterId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *           "organizationId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *           "path": "plans/2026",
         *           "fileName": "inspection.pdf",
         *           "contentType": "application/pdf",
         *           "sizeBytes": 52428,
         *           "checksumSha256": "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
         *           "version": 1,
         *           "versionCount": 1,
         *           "textStatus": "pending",
         *           "textDetail": "text",
         *           "pageCount": 1,
         *           "recognition": {
         *             "language": "text",
         *             "confidence": 1
         *           },
         *           "derivativeStatus": "none",
         *           "derivativeDetail": "text",
         *           "width": 1920,
         *           "height": 1080,
         *           "capabilities": {
         *             "OrganizationView": "None",
         *             "ClusterView": "None",
         *             "LocationView": "None",
         *             "Documents": "None",
         *             "LocationBundles": "None",
         *             "LocationCameras": "None",
         *             "Reports": "None",
         *             "ExternalShareLinksCreate": "None",
         *             "ExternalShareLinksManage": "None"
         *           },
         *           "revision": 1,
         *           "createdBy": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *           "createdAtUtc": "2026-11-20T09:30:00.000Z",
         *           "updatedAtUtc": "2026-11-20T09:30:00.000Z"
         *         }
         *       ],
         *       "nextCursor": "text"
         *     }
         */
        DocumentList: {
            items: components["schemas"]["Document"][];
            /** @description Send this as `cursor` to get the next page. Null on the last page. */
            nextCursor: string | null;
        };
        /**
         * @example {
         *       "path": "plans/2026",
         *       "fileName": "ground floor.pdf",
         *       "locationId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *       "baseRevision": 1
         *     }
         */
        DocumentUpdate: {
            baseRevision?: number;
            /** @example ground floor.pdf */
            fileName?: string;
            /**
             * Format: uuid
             * @example 0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10
             */
            locationId?: string;
            /**
             * @description The service compares paths exactly, after Unicode normalization to NFC.
             * @example plans/2026
             */
            path?: string;
        };
        /**
         * @example {
         *       "uploadId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *       "documentId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *       "version": 1,
         *       "uploadUrl": "https://docs.example.org/objects/staging?signature=secret",
         *       "requiredHeaders": {},
         *       "expiresAtUtc": "2026-11-20T09:30:00.000Z"
         *     }
         */
        DocumentUpload: {
            /**
             * Format: uuid
             * @example 0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10
             */
            documentId: string;
            /**
             * Format: date-time
             * @description When `uploadUrl` expires. After the PUT you can complete the upload for 24 hours from its start.
             * @example 2026-11-20T09:30:00.000Z
             */
            expiresAtUtc: string;
            /** @description Send exactly these headers with the PUT. */
            requiredHeaders: {
                [key: string]: string;
            };
            /**
             * Format: uuid
             * @example 0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10
             */
            uploadId: string;
            /** @description Send the bytes to this address with PUT. It needs no Authorization header. */
            uploadUrl: string;
            version: number;
        };
        /**
         * @example {
         *       "uploadId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10"
         *     }
         */
        DocumentUploadComplete: {
            /**
             * Format: uuid
             * @example 0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10
             */
            uploadId: string;
        };
        /**
         * @example {
         *       "path": "plans/2026",
         *       "fileName": "ground floor.pdf",
         *       "contentType": "application/pdf",
         *       "sizeBytes": 52428,
         *       "checksumSha256": "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
         *     }
         */
        DocumentUploadCreate: {
            /**
             * @description SHA-256 of the bytes.
             * @example e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855
             */
            checksumSha256: string;
            /** @example application/pdf */
            contentType: string;
            /** @example ground floor.pdf */
            fileName: string;
            /**
             * @description The service compares paths exactly, after Unicode normalization to NFC.
             * @default
             * @example plans/2026
             */
            path: string;
            sizeBytes: number;
        };
        /**
         * @example {
         *       "version": 1,
         *       "fileName": "inspection.pdf",
         *       "contentType": "application/pdf",
         *       "sizeBytes": 52428,
         *       "checksumSha256": "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
         *       "derivativeStatus": "none",
         *       "width": 1920,
         *       "height": 1080,
         *       "createdBy": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *       "createdAtUtc": "2026-11-20T09:30:00.000Z"
         *     }
         */
        DocumentVersion: {
            /**
             * @description SHA-256 of the bytes.
             * @example e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855
             */
            checksumSha256: string;
            contentType: string;
            /**
             * Format: date-time
             * @example 2026-11-20T09:30:00.000Z
             */
            createdAtUtc: string;
            /**
             * Format: uuid
             * @example 0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10
             */
            createdBy: string | null;
            /** @enum {string} */
            derivativeStatus: "none" | "pending" | "ready" | "failed";
            /** @description The file name when this version was uploaded. */
            fileName: string;
            height: number | null;
            sizeBytes: number;
            version: number;
            width: number | null;
        };
        /**
         * @example {
         *       "items": [
         *         {
         *           "version": 1,
         *           "fileName": "inspection.pdf",
         *           "contentType": "application/pdf",
         *           "sizeBytes": 52428,
         *           "checksumSha256": "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
         *           "derivativeStatus": "none",
         *           "width": 1920,
         *           "height": 1080,
         *           "createdBy": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *           "createdAtUtc": "2026-11-20T09:30:00.000Z"
         *         }
         *       ],
         *       "nextCursor": "text"
         *     }
         */
        DocumentVersionList: {
            items: components["schemas"]["DocumentVersion"][];
            /** @description Send this as `cursor` to get the next page. Null on the last page. */
            nextCursor: string | null;
        };
        /**
         * @description `contentType` is that of the answer: `application/octet-stream` for a file that a browser could run or show as a page.
         * @example {
         *       "url": "https://docs.example.org/objects/file?signature=secret",
         *       "expiresAtUtc": "2026-11-20T09:30:00.000Z",
         *       "contentType": "application/pdf",
         *       "sizeBytes": 52428
         *     }
         */
        DownloadLink: {
            contentType: string;
            /**
             * Format: date-time
             * @example 2026-11-20T09:30:00.000Z
             */
            expiresAtUtc: string;
            sizeBytes: number;
            url: string;
        };
        /**
         * @example {
         *       "cameras": false,
         *       "externalShares": false,
         *       "documentStorageBytes": 1,
         *       "jobsPerMonth": 1,
         *       "maxRetentionDays": 1,
         *       "usage": {
         *         "usedBytes": 1,
         *         "reservedBytes": 1,
         *         "jobsThisMonth": 1
         *       },
         *       "revision": 1
         *     }
         */
        Entitlements: {
            cameras: boolean;
            documentStorageBytes: number;
            externalShares: boolean;
            jobsPerMonth: number;
            maxRetentionDays: number;
            /** @description The organization's revision. */
            revision: number;
            usage: {
                /** @description Number of jobs in this calendar month, UTC. */
                jobsThisMonth: number;
                /** @description Bytes of uploads that have not ended yet. */
                reservedBytes: number;
                usedBytes: number;
            };
        };
        /**
         * @example {
         *       "cameras": false,
         *       "externalShares": false,
         *       "documentStorageBytes": 1,
         *       "jobsPerMonth": 1,
         *       "maxRetentionDays": 1,
         *       "baseRevision": 1
         *     }
         */
        EntitlementsUpdate: {
            baseRevision?: number;
            cameras: boolean;
            documentStorageBytes: number;
            externalShares: boolean;
            jobsPerMonth: number;
            maxRetentionDays: number;
        };
        /**
         * @example {
         *       "id": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *       "userId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *       "email": "ada@example.org",
         *       "displayName": "Ada Lovelace",
         *       "capabilities": {
         *         "Documents": "Read",
         *         "LocationView": "Read"
         *       },
         *       "grantedBy": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *       "expiresAtUtc": "2026-11-20T09:30:00.000Z",
         *       "revision": 1,
         *       "createdAtUtc": "2026-11-20T09:30:00.000Z"
         *     }
         */
        Grant: {
            capabilities: components["schemas"]["Capabilities"];
            /**
             * Format: date-time
             * @example 2026-11-20T09:30:00.000Z
             */
            createdAtUtc: string;
            displayName: string;
            email: string;
            /**
             * Format: date-time
             * @example 2026-11-20T09:30:00.000Z
             */
            expiresAtUtc: string | null;
            /**
             * Format: uuid
             * @example 0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10
             */
            grantedBy: string | null;
            /**
             * Format: uuid
             * @example 0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10
             */
            id: string;
            revision: number;
            /**
             * Format: uuid
             * @example 0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10
             */
            userId: string;
        };
        /**
         * @example {
         *       "email": "ada@example.org",
         *       "capabilities": {
         *         "Documents": "Read",
         *         "LocationView": "Read"
         *       }
         *     }
         */
        GrantCreate: {
            capabilities: components["schemas"]["Capabilities"];
            /**
             * Format: email
             * @example ada@example.org
             */
            email?: string;
            /**
             * Format: date-time
             * @example 2026-11-20T09:30:00.000Z
             */
            expiresAtUtc?: string;
            /**
             * Format: uuid
             * @example 0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10
             */
            userId?: string;
        };
        /**
         * @example {
         *       "items": [
         *         {
         *           "id": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *           "userId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *           "email": "ada@example.org",
         *           "displayName": "Ada Lovelace",
         *           "capabilities": {
         *             "Documents": "Read",
         *             "LocationView": "Read"
         *           },
         *           "grantedBy": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *           "expiresAtUtc": "2026-11-20T09:30:00.000Z",
         *           "revision": 1,
         *           "createdAtUtc": "2026-11-20T09:30:00.000Z"
         *         }
         *       ],
         *       "nextCursor": "text"
         *     }
         */
        GrantList: {
            items: components["schemas"]["Grant"][];
            /** @description Send this as `cursor` to get the next page. Null on the last page. */
            nextCursor: string | null;
        };
        /**
         * @example {
         *       "capabilities": {
         *         "Documents": "Read",
         *         "LocationView": "Read"
         *       },
         *       "expiresAtUtc": "2026-11-20T09:30:00.000Z",
         *       "baseRevision": 1
         *     }
         */
        GrantUpdate: {
            baseRevision?: number;
            capabilities?: components["schemas"]["Capabilities"];
            /**
             * Format: date-time
             * @example 2026-11-20T09:30:00.000Z
             */
            expiresAtUtc?: string | null;
        };
        /**
         * @example {
         *       "status": "ok"
         *     }
         */
        HealthStatus: {
            /** @enum {string} */
            status: "ok";
        };
        /**
         * @example {
         *       "operationId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *       "captureId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *       "cameraId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *       "locationId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *       "capturedAtUtc": "2026-11-20T09:30:00.000Z",
         *       "heldAtUtc": "2026-11-20T09:30:00.000Z",
         *       "expiresAtUtc": "2026-11-20T09:30:00.000Z",
         *       "reason": {
         *         "code": "text",
         *         "detail": "Correct these and send it again: name: Required."
         *       }
         *     }
         */
        HeldCapture: {
            /**
             * Format: uuid
             * @example 0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10
             */
            cameraId: string;
            /**
             * Format: date-time
             * @example 2026-11-20T09:30:00.000Z
             */
            capturedAtUtc: string;
            /**
             * Format: uuid
             * @example 0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10
             */
            captureId: string;
            /**
             * Format: date-time
             * @description After this time, the device starts a new operation by itself.
             * @example 2026-11-20T09:30:00.000Z
             */
            expiresAtUtc: string;
            /**
             * Format: date-time
             * @example 2026-11-20T09:30:00.000Z
             */
            heldAtUtc: string | null;
            /**
             * Format: uuid
             * @example 0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10
             */
            locationId: string;
            /**
             * Format: uuid
             * @example 0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10
             */
            operationId: string;
            reason: {
                code: string;
                detail: string;
            };
        };
        /**
         * @example {
         *       "items": [
         *         {
         *           "operationId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *           "captureId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *           "cameraId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *           "locationId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *           "capturedAtUtc": "2026-11-20T09:30:00.000Z",
         *           "heldAtUtc": "2026-11-20T09:30:00.000Z",
         *           "expiresAtUtc": "2026-11-20T09:30:00.000Z",
         *           "reason": {
         *             "code": "text",
         *             "detail": "Correct these and send it again: name: Required."
         *           }
         *         }
         *       ],
         *       "nextCursor": "text"
         *     }
         */
        HeldCaptureList: {
            items: components["schemas"]["HeldCapture"][];
            /** @description Send this as `cursor` to get the next page. Null on the last page. */
            nextCursor: string | null;
        };
        /**
         * @description A camera that was at this location before, with the settings that it had when it left.
         * @example {
         *       "isHistorical": true,
         *       "id": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *       "organizationId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *       "locationId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *       "name": "North gate",
         *       "captureIntervalMinutes": 15,
         *       "timeZone": "Europe/Oslo",
         *       "leftAtUtc": "2026-11-20T09:30:00.000Z",
         *       "lastCaptureAtUtc": "2026-11-20T09:30:00.000Z",
         *       "currentLocationId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10"
         *     }
         */
        HistoricalCamera: {
            /**
             * @description Minutes between two images.
             * @example 15
             */
            captureIntervalMinutes: number;
            /**
             * Format: uuid
             * @description Location of the camera now. Null when you may not see cameras there.
             * @example 0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10
             */
            currentLocationId: string | null;
            /**
             * Format: uuid
             * @example 0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10
             */
            id: string;
            /** @enum {boolean} */
            isHistorical: true;
            /**
             * Format: date-time
             * @description Capture time of its newest image at this location.
             * @example 2026-11-20T09:30:00.000Z
             */
            lastCaptureAtUtc: string | null;
            /**
             * Format: date-time
             * @example 2026-11-20T09:30:00.000Z
             */
            leftAtUtc: string;
            /**
             * Format: uuid
             * @example 0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10
             */
            locationId: string;
            /**
             * @description Name of the camera, one line.
             * @example North gate
             */
            name: string;
            /**
             * Format: uuid
             * @example 0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10
             */
            organizationId: string;
            /**
             * @description IANA name of the time zone in which the camera's days and its capture window are read.
             * @example Europe/Oslo
             */
            timeZone: string;
        };
        /**
         * @example {
         *       "documents": {
         *         "total": 1,
         *         "indexed": 1,
         *         "pending": 1,
         *         "failed": 1,
         *         "unsupported": 1
         *       },
         *       "assets": {
         *         "total": 1,
         *         "indexed": 1,
         *         "pending": 1
         *       },
         *       "tasks": [
         *         {
         *           "id": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *           "kind": "text",
         *           "status": "queued",
         *           "progress": {
         *             "done": 1,
         *             "total": 1
         *           },
         *           "error": {
         *             "code": "text",
         *             "detail": "Correct these and send it again: name: Required."
         *           },
         *           "createdAtUtc": "2026-11-20T09:30:00.000Z",
         *           "startedAtUtc": "2026-11-20T09:30:00.000Z",
         *           "finishedAtUtc": "2026-11-20T09:30:00.000Z"
         *         }
         *       ]
         *     }
         */
        IndexStatus: {
            assets: {
                indexed: number;
                pending: number;
                total: number;
            };
            documents: {
                /** @description Documents that are damaged, encrypted, in an unknown charset, or failed for another reason. */
                failed: number;
                /** @description Documents that are searchable, or have no text. */
                indexed: number;
                pending: number;
                total: number;
                /** @description Documents of a format without text extraction. They are found only by name. */
                unsupported: number;
            };
            tasks: components["schemas"]["IndexTask"][];
        };
        /**
         * @example {
         *       "id": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *       "kind": "text",
         *       "status": "queued",
         *       "progress": {
         *         "done": 1,
         *         "total": 1
         *       },
         *       "error": {
         *         "code": "text",
         *         "detail": "Correct these and send it again: name: Required."
         *       },
         *       "createdAtUtc": "2026-11-20T09:30:00.000Z",
         *       "startedAtUtc": "2026-11-20T09:30:00.000Z",
         *       "finishedAtUtc": "2026-11-20T09:30:00.000Z"
         *     }
         */
        IndexTask: {
            /**
             * Format: date-time
             * @example 2026-11-20T09:30:00.000Z
             */
            createdAtUtc: string;
            error: {
                code: string;
                detail: string;
            } | null;
            /**
             * Format: date-time
             * @example 2026-11-20T09:30:00.000Z
             */
            finishedAtUtc: string | null;
            /**
             * Format: uuid
             * @example 0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10
             */
            id: string;
            kind: string;
            progress: {
                done: number;
                total: number;
            };
            /**
             * Format: date-time
             * @example 2026-11-20T09:30:00.000Z
             */
            startedAtUtc: string | null;
            /** @enum {string} */
            status: "queued" | "running" | "succeeded" | "failed";
        };
        /**
         * @example {
         *       "id": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *       "email": "ada@example.org",
         *       "role": "owner",
         *       "overrides": {
         *         "Documents": "Read",
         *         "LocationView": "Read"
         *       },
         *       "invitedBy": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *       "createdAtUtc": "2026-11-20T09:30:00.000Z",
         *       "expiresAtUtc": "2026-11-20T09:30:00.000Z"
         *     }
         */
        Invitation: {
            /**
             * Format: date-time
             * @example 2026-11-20T09:30:00.000Z
             */
            createdAtUtc: string;
            email: string;
            /**
             * Format: date-time
             * @example 2026-11-20T09:30:00.000Z
             */
            expiresAtUtc: string;
            /**
             * Format: uuid
             * @example 0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10
             */
            id: string;
            /**
             * Format: uuid
             * @example 0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10
             */
            invitedBy: string;
            overrides: components["schemas"]["Capabilities"];
            /** @enum {string} */
            role: "owner" | "admin" | "member" | "guest";
        };
        /**
         * @example {
         *       "items": [
         *         {
         *           "id": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *           "email": "ada@example.org",
         *           "role": "owner",
         *           "overrides": {
         *             "Documents": "Read",
         *             "LocationView": "Read"
         *           },
         *           "invitedBy": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *           "createdAtUtc": "2026-11-20T09:30:00.000Z",
         *           "expiresAtUtc": "2026-11-20T09:30:00.000Z"
         *         }
         *       ],
         *       "nextCursor": "text"
         *     }
         */
        InvitationList: {
            items: components["schemas"]["Invitation"][];
            /** @description Send this as `cursor` to get the next page. Null on the last page. */
            nextCursor: string | null;
        };
        /**
         * @example {
         *       "email": "ada@example.org",
         *       "organizationName": "Northern Bridges",
         *       "role": "owner"
         *     }
         */
        InvitationPreview: {
            email: string;
            organizationName: string;
            /** @enum {string} */
            role: "owner" | "admin" | "member" | "guest";
        };
        /**
         * @example {
         *       "token": "svcinv1.0192f0c1.secret"
         *     }
         */
        InvitationToken: {
            token: string;
        };
        /**
         * @example {
         *       "lane": "live",
         *       "inLine": 1,
         *       "inQueue": 1,
         *       "running": 1,
         *       "failed": 1,
         *       "oldestDueAtUtc": "2026-11-20T09:30:00.000Z",
         *       "isExact": false
         *     }
         */
        JobLane: {
            failed: number;
            /** @description Jobs that wait for a slot of their workspace. */
            inLine: number;
            /** @description Jobs that the queue has, and those that wait for another try. */
            inQueue: number;
            /** @description False if more than 10000 jobs are in line, are in the queue, run or failed: only so many are read. */
            isExact: boolean;
            /** @enum {string} */
            lane: "live" | "light" | "extraction" | "verification" | "printing" | "recognition";
            /**
             * Format: date-time
             * @description Time at which the oldest waiting job was due.
             * @example 2026-11-20T09:30:00.000Z
             */
            oldestDueAtUtc: string | null;
            running: number;
        };
        /**
         * @example {
         *       "items": [
         *         {
         *           "lane": "live",
         *           "inLine": 1,
         *           "inQueue": 1,
         *           "running": 1,
         *           "failed": 1,
         *           "oldestDueAtUtc": "2026-11-20T09:30:00.000Z",
         *           "isExact": false
         *         }
         *       ]
         *     }
         */
        JobLanes: {
            items: components["schemas"]["JobLane"][];
        };
        /**
         * @example {
         *       "cameraId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *       "capture": {
         *         "id": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *         "cameraId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *         "capturedAtUtc": "2026-11-20T09:30:00.000Z",
         *         "width": 1920,
         *         "height": 1080,
         *         "clockQuality": "synchronized",
         *         "contentType": "image/jpeg",
         *         "locationId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *         "receivedAtUtc": "2026-11-20T09:30:00.000Z",
         *         "sizeBytes": 52428,
         *         "checksumSha256": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
         *       },
         *       "jpegBase64": "/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAAEBAQ==",
         *       "thumbnailUrl": "https://docs.example.org/objects/thumbnail.jpg"
         *     }
         */
        LatestPreview: {
            /**
             * Format: uuid
             * @example 0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10
             */
            cameraId: string;
            capture: components["schemas"]["Capture"] | null;
            jpegBase64: string | null;
            thumbnailUrl: string | null;
        };
        /**
         * @example {
         *       "items": [
         *         {
         *           "cameraId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *           "capture": {
         *             "id": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *             "cameraId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *             "capturedAtUtc": "2026-11-20T09:30:00.000Z",
         *             "width": 1920,
         *             "height": 1080,
         *             "clockQuality": "synchronized",
         *             "contentType": "image/jpeg",
         *             "locationId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *             "receivedAtUtc": "2026-11-20T09:30:00.000Z",
         *             "sizeBytes": 52428,
         *             "checksumSha256": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
         *           },
         *           "jpegBase64": "/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAAEBAQ==",
         *           "thumbnailUrl": "https://docs.example.org/objects/thumbnail.jpg"
         *         }
         *       ]
         *     }
         */
        LatestPreviewList: {
            items: components["schemas"]["LatestPreview"][];
        };
        /**
         * @example {
         *       "cameraIds": [
         *         "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10"
         *       ]
         *     }
         */
        LatestPreviewsRequest: {
            cameraIds: string[];
        };
        /**
         * @example {
         *       "OrganizationView": "None",
         *       "ClusterView": "None",
         *       "LocationView": "None",
         *       "Documents": "None",
         *       "LocationBundles": "None",
         *       "LocationCameras": "None",
         *       "Reports": "None",
         *       "ExternalShareLinksCreate": "None",
         *       "ExternalShareLinksManage": "None"
         *     }
         */
        Levels: {
            /** @enum {string} */
            ClusterView?: "None" | "Read" | "Write";
            /** @enum {string} */
            Documents?: "None" | "Read" | "Write";
            /** @enum {string} */
            ExternalShareLinksCreate?: "None" | "Read" | "Write";
            /** @enum {string} */
            ExternalShareLinksManage?: "None" | "Read" | "Write";
            /** @enum {string} */
            LocationBundles?: "None" | "Read" | "Write";
            /** @enum {string} */
            LocationCameras?: "None" | "Read" | "Write";
            /** @enum {string} */
            LocationView?: "None" | "Read" | "Write";
            /** @enum {string} */
            OrganizationView?: "None" | "Read" | "Write";
            /** @enum {string} */
            Reports?: "None" | "Read" | "Write";
        };
        /**
         * @example {
         *       "id": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *       "organizationId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *       "clusterId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *       "name": "North yard",
         *       "description": "The yard north of the bridge.",
         *       "address": "12 Harbour Street, Oslo",
         *       "latitude": 59.9139,
         *       "longitude": 10.7522,
         *       "timeZone": "Europe/Oslo",
         *       "metadata": {},
         *       "capabilities": {
         *         "OrganizationView": "None",
         *         "ClusterView": "None",
         *         "LocationView": "None",
         *         "Documents": "None",
         *         "LocationBundles": "None",
         *         "LocationCameras": "None",
         *         "Reports": "None",
         *         "ExternalShareLinksCreate": "None",
         *         "ExternalShareLinksManage": "None"
         *       },
         *       "revision": 1,
         *       "createdAtUtc": "2026-11-20T09:30:00.000Z",
         *       "updatedAtUtc": "2026-11-20T09:30:00.000Z"
         *     }
         */
        Location: {
            address: string | null;
            capabilities: components["schemas"]["Levels"];
            /**
             * Format: uuid
             * @example 0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10
             */
            clusterId: string;
            /**
             * Format: date-time
             * @example 2026-11-20T09:30:00.000Z
             */
            createdAtUtc: string;
            description: string;
            /**
             * Format: uuid
             * @example 0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10
             */
            id: string;
            latitude: number | null;
            longitude: number | null;
            metadata: {
                [key: string]: unknown;
            };
            /** @example North yard */
            name: string;
            /**
             * Format: uuid
             * @example 0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10
             */
            organizationId: string | null;
            revision: number;
            /**
             * @description The time zone of the dates in its reports; null is UTC.
             * @example Europe/Oslo
             */
            timeZone: string | null;
            /**
             * Format: date-time
             * @example 2026-11-20T09:30:00.000Z
             */
            updatedAtUtc: string;
        };
        /**
         * @example {
         *       "id": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *       "organizationId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *       "locationId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *       "name": "North gate",
         *       "description": "On the mast beside the north gate.",
         *       "isPaused": true,
         *       "captureIntervalMinutes": 15,
         *       "retentionDays": 90,
         *       "captureWidth": 2560,
         *       "captureHeight": 1440,
         *       "jpegQuality": 85,
         *       "timeZone": "Europe/Oslo",
         *       "captureWindow": {
         *         "start": "07:00",
         *         "end": "19:00",
         *         "daysOfWeek": [
         *           1,
         *           2,
         *           3,
         *           4,
         *           5
         *         ]
         *       },
         *       "status": "active",
         *       "pairing": "none",
         *       "assignmentGeneration": 1,
         *       "configurationPending": false,
         *       "silence": {
         *         "cause": "offline",
         *         "sinceUtc": "2026-11-20T09:30:00.000Z"
         *       },
         *       "lastSeenAtUtc": "2026-11-20T09:30:00.000Z",
         *       "lastCaptureAtUtc": "2026-11-20T09:30:00.000Z",
         *       "device": {
         *         "appliedRevision": 1,
         *         "lastCaptureAtUtc": "2026-11-20T09:30:00.000Z",
         *         "queueCount": 1,
         *         "queueBytes": 1,
         *         "freeBytes": 12884901888,
         *         "oldestPendingAtUtc": "2026-11-20T09:30:00.000Z",
         *         "errorCode": "text"
         *       },
         *       "identicalFrames": 1,
         *       "revision": 1,
         *       "createdAtUtc": "2026-11-20T09:30:00.000Z",
         *       "updatedAtUtc": "2026-11-20T09:30:00.000Z",
         *       "isHistorical": false
         *     }
         */
        LocationCamera: components["schemas"]["CurrentCamera"] | components["schemas"]["HistoricalCamera"];
        /**
         * @example {
         *       "items": [
         *         {
         *           "id": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *           "organizationId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *           "locationId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *           "name": "North gate",
         *           "description": "On the mast beside the north gate.",
         *           "isPaused": true,
         *           "captureIntervalMinutes": 15,
         *           "retentionDays": 90,
         *           "captureWidth": 2560,
         *           "captureHeight": 1440,
         *           "jpegQuality": 85,
         *           "timeZone": "Europe/Oslo",
         *           "captureWindow": {
         *             "start": "07:00",
         *             "end": "19:00",
         *             "daysOfWeek": [
         *               1,
         *               2,
         *               3,
         *               4,
         *               5
         *             ]
         *           },
         *           "status": "active",
         *           "pairing": "none",
         *           "assignmentGeneration": 1,
         *           "configurationPending": false,
         *           "silence": {
         *             "cause": "offline",
         *             "sinceUtc": "2026-11-20T09:30:00.000Z"
         *           },
         *           "lastSeenAtUtc": "2026-11-20T09:30:00.000Z",
         *           "lastCaptureAtUtc": "2026-11-20T09:30:00.000Z",
         *           "device": {
         *             "appliedRevision": 1,
         *             "lastCaptureAtUtc": "2026-11-20T09:30:00.000Z",
         *             "queueCount": 1,
         *             "queueBytes": 1,
         *             "freeBytes": 12884901888,
         *             "oldestPendingAtUtc": "2026-11-20T09:30:00.000Z",
         *             "errorCode": "text"
         *           },
         *           "identicalFrames": 1,
         *           "revision": 1,
         *           "createdAtUtc": "2026-11-20T09:30:00.000Z",
         *           "updatedAtUtc": "2026-11-20T09:30:00.000Z",
         *           "isHistorical": false
         *         }
         *       ],
         *       "nextCursor": "text"
         *     }
         */
        LocationCameraList: {
            items: components["schemas"]["LocationCamera"][];
            /** @description Send this as `cursor` to get the next page. Null on the last page. */
            nextCursor: string | null;
        };
        /**
         * @example {
         *       "clusterId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *       "name": "North yard",
         *       "description": "The yard north of the bridge.",
         *       "address": "12 Harbour Street, Oslo",
         *       "latitude": 59.9139,
         *       "longitude": 10.7522,
         *       "timeZone": "Europe/Oslo",
         *       "metadata": {}
         *     }
         */
        LocationCreate: {
            address?: string | null;
            /**
             * Format: uuid
             * @example 0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10
             */
            clusterId: string;
            description?: string;
            latitude?: number | null;
            longitude?: number | null;
            metadata?: {
                [key: string]: unknown;
            };
            /** @example North yard */
            name: string;
            /**
             * @description The time zone of the dates in its reports; null is UTC.
             * @example Europe/Oslo
             */
            timeZone?: string | null;
        };
        /**
         * @example {
         *       "items": [
         *         {
         *           "id": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *           "organizationId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *           "clusterId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *           "name": "North yard",
         *           "description": "The yard north of the bridge.",
         *           "address": "12 Harbour Street, Oslo",
         *           "latitude": 59.9139,
         *           "longitude": 10.7522,
         *           "timeZone": "Europe/Oslo",
         *           "metadata": {},
         *           "capabilities": {
         *             "OrganizationView": "None",
         *             "ClusterView": "None",
         *             "LocationView": "None",
         *             "Documents": "None",
         *             "LocationBundles": "None",
         *             "LocationCameras": "None",
         *             "Reports": "None",
         *             "ExternalShareLinksCreate": "None",
         *             "ExternalShareLinksManage": "None"
         *           },
         *           "revision": 1,
         *           "createdAtUtc": "2026-11-20T09:30:00.000Z",
         *           "updatedAtUtc": "2026-11-20T09:30:00.000Z"
         *         }
         *       ],
         *       "nextCursor": "text"
         *     }
         */
        LocationList: {
            items: components["schemas"]["Location"][];
            /** @description Send this as `cursor` to get the next page. Null on the last page. */
            nextCursor: string | null;
        };
        /**
         * @example {
         *       "clusterId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *       "name": "North yard",
         *       "description": "The yard north of the bridge.",
         *       "address": "12 Harbour Street, Oslo",
         *       "latitude": 59.9139,
         *       "longitude": 10.7522,
         *       "timeZone": "Europe/Oslo",
         *       "metadata": {},
         *       "baseRevision": 1
         *     }
         */
        LocationUpdate: {
            address?: string | null;
            baseRevision?: number;
            /**
             * Format: uuid
             * @example 0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10
             */
            clusterId?: string;
            description?: string;
            latitude?: number | null;
            longitude?: number | null;
            metadata?: {
                [key: string]: unknown;
            };
            /** @example North yard */
            name?: string;
            /**
             * @description The time zone of the dates in its reports; null is UTC.
             * @example Europe/Oslo
             */
            timeZone?: string | null;
        };
        /**
         * @example {
         *       "email": "ada@example.org",
         *       "password": "correct horse battery staple"
         *     }
         */
        Login: {
            /**
             * Format: email
             * @example ada@example.org
             */
            email: string;
            /** Format: password */
            password: string;
        };
        /**
         * @example {
         *       "notificationIds": [
         *         "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10"
         *       ]
         *     }
         */
        MarkNotificationsRead: {
            notificationIds: string[];
        } | {
            /** @enum {boolean} */
            all: true;
        };
        /**
         * @example {
         *       "userId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *       "email": "ada@example.org",
         *       "displayName": "Ada Lovelace",
         *       "role": "owner",
         *       "overrides": {
         *         "Documents": "Read",
         *         "LocationView": "Read"
         *       },
         *       "revision": 1,
         *       "createdAtUtc": "2026-11-20T09:30:00.000Z"
         *     }
         */
        Member: {
            /**
             * Format: date-time
             * @example 2026-11-20T09:30:00.000Z
             */
            createdAtUtc: string;
            displayName: string;
            email: string;
            overrides: components["schemas"]["Capabilities"] & unknown;
            revision: number;
            /** @enum {string} */
            role: "owner" | "admin" | "member" | "guest";
            /**
             * Format: uuid
             * @example 0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10
             */
            userId: string;
        };
        /**
         * @example {
         *       "email": "ada@example.org",
         *       "role": "owner",
         *       "overrides": {
         *         "Documents": "Read",
         *         "LocationView": "Read"
         *       }
         *     }
         */
        MemberCreate: {
            /**
             * Format: email
             * @example ada@example.org
             */
            email: string;
            overrides?: components["schemas"]["Capabilities"];
            /** @enum {string} */
            role: "owner" | "admin" | "member" | "guest";
        };
        /**
         * @example {
         *       "member": {
         *         "userId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *         "email": "ada@example.org",
         *         "displayName": "Ada Lovelace",
         *         "role": "owner",
         *         "overrides": {
         *           "Documents": "Read",
         *           "LocationView": "Read"
         *         },
         *         "revision": 1,
         *         "createdAtUtc": "2026-11-20T09:30:00.000Z"
         *       },
         *       "invitation": {
         *         "id": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *         "email": "ada@example.org",
         *         "role": "owner",
         *         "overrides": {
         *           "Documents": "Read",
         *           "LocationView": "Read"
         *         },
         *         "invitedBy": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *         "createdAtUtc": "2026-11-20T09:30:00.000Z",
         *         "expiresAtUtc": "2026-11-20T09:30:00.000Z",
         *         "token": "svcinv1.0192f0c1.secret",
         *         "link": "https://docs.example.org/invitation#svcinv1.0192f0c1.secret",
         *         "isMailed": false
         *       }
         *     }
         */
        MemberCreateResult: {
            invitation: components["schemas"]["CreatedInvitation"] | null;
            member: components["schemas"]["Member"] | null;
        };
        /**
         * @example {
         *       "items": [
         *         {
         *           "userId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *           "email": "ada@example.org",
         *           "displayName": "Ada Lovelace",
         *           "role": "owner",
         *           "overrides": {
         *             "Documents": "Read",
         *             "LocationView": "Read"
         *           },
         *           "revision": 1,
         *           "createdAtUtc": "2026-11-20T09:30:00.000Z"
         *         }
         *       ],
         *       "nextCursor": "text"
         *     }
         */
        MemberList: {
            items: components["schemas"]["Member"][];
            /** @description Send this as `cursor` to get the next page. Null on the last page. */
            nextCursor: string | null;
        };
        /**
         * @example {
         *       "organizationId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *       "organizationName": "Northern Bridges",
         *       "role": "owner"
         *     }
         */
        Membership: {
            /**
             * Format: uuid
             * @example 0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10
             */
            organizationId: string;
            organizationName: string;
            /** @enum {string} */
            role: "owner" | "admin" | "member" | "guest";
        };
        /**
         * @example {
         *       "role": "owner",
         *       "overrides": {
         *         "Documents": "Read",
         *         "LocationView": "Read"
         *       },
         *       "baseRevision": 1
         *     }
         */
        MemberUpdate: {
            baseRevision?: number;
            overrides?: components["schemas"]["Capabilities"];
            /** @enum {string} */
            role?: "owner" | "admin" | "member" | "guest";
        };
        /**
         * @example {
         *       "hubPath": "/sync-hub",
         *       "unreadCount": 1
         *     }
         */
        NotificationBootstrap: {
            hubPath: string;
            unreadCount: number;
        };
        /**
         * @example {
         *       "id": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *       "seq": 1,
         *       "type": "document-uploaded",
         *       "severity": "info",
         *       "title": "Inspection of the east pier",
         *       "body": "A crack at the east bearing.",
         *       "createdAtUtc": "2026-11-20T09:30:00.000Z",
         *       "readAtUtc": "2026-11-20T09:30:00.000Z",
         *       "isRead": false,
         *       "origin": {
         *         "type": "spatial-document",
         *         "id": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *         "url": "https://docs.example.org/objects/file?signature=secret",
         *         "organizationId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *         "locationId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *         "documentId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *         "data": {}
         *       }
         *     }
         */
        NotificationDto: {
            body: string;
            /**
             * Format: date-time
             * @example 2026-11-20T09:30:00.000Z
             */
            createdAtUtc: string;
            /**
             * Format: uuid
             * @example 0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10
             */
            id: string;
            isRead: boolean;
            origin: components["schemas"]["NotificationOrigin"];
            /**
             * Format: date-time
             * @example 2026-11-20T09:30:00.000Z
             */
            readAtUtc: string | null;
            /** @description Increases with each notification of this user. Send the largest one that you know as `sinceSeq`. */
            seq: number;
            /** @enum {string} */
            severity: "info" | "warning" | "error";
            title: string;
            /** @enum {string} */
            type: "document-uploaded" | "membership-given" | "grant-given" | "report-pdf-ready" | "report-pdf-failed" | "storage-low" | "storage-full" | "export-ready" | "capture-rejected" | "camera-silent" | "camera-back";
        };
        /**
         * @example {
         *       "items": [
         *         {
         *           "id": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *           "seq": 1,
         *           "type": "document-uploaded",
         *           "severity": "info",
         *           "title": "Inspection of the east pier",
         *           "body": "A crack at the east bearing.",
         *           "createdAtUtc": "2026-11-20T09:30:00.000Z",
         *           "readAtUtc": "2026-11-20T09:30:00.000Z",
         *           "isRead": false,
         *           "origin": {
         *             "type": "spatial-document",
         *             "id": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *             "url": "https://docs.example.org/objects/file?signature=secret",
         *             "organizationId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *             "locationId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *             "documentId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *             "data": {}
         *           }
         *         }
         *       ],
         *       "offset": 1,
         *       "limit": 20,
         *       "hasMore": false,
         *       "nextCursor": "text"
         *     }
         */
        NotificationList: {
            hasMore: boolean;
            items: components["schemas"]["NotificationDto"][];
            limit: number;
            /** @description Send this as `cursor` to get the next page. */
            nextCursor: string | null;
            offset: number;
        };
        /**
         * @example {
         *       "type": "spatial-document",
         *       "id": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *       "url": "https://docs.example.org/objects/file?signature=secret",
         *       "organizationId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *       "locationId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *       "documentId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *       "data": {}
         *     }
         */
        NotificationOrigin: {
            data: {
                [key: string]: unknown;
            };
            /**
             * Format: uuid
             * @example 0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10
             */
            documentId: string | null;
            /**
             * Format: uuid
             * @example 0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10
             */
            id: string;
            /**
             * Format: uuid
             * @example 0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10
             */
            locationId: string | null;
            /**
             * Format: uuid
             * @example 0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10
             */
            organizationId: string | null;
            /** @enum {string} */
            type: "spatial-document" | "location" | "cluster" | "annotation" | "report" | "camera" | "organization";
            /** @description Path in the console that opens the origin. Resolve it against the address of the service. It grants no access. */
            url: string;
        } | null;
        /**
         * @example {
         *       "document-uploaded": {
         *         "inApp": false
         *       },
         *       "membership-given": {
         *         "inApp": false
         *       },
         *       "grant-given": {
         *         "inApp": false
         *       },
         *       "report-pdf-ready": {
         *         "inApp": false
         *       },
         *       "report-pdf-failed": {
         *         "inApp": false
         *       },
         *       "storage-low": {
         *         "inApp": false
         *       },
         *       "storage-full": {
         *         "inApp": false
         *       },
         *       "export-ready": {
         *         "inApp": false
         *       },
         *       "capture-rejected": {
         *         "inApp": false
         *       },
         *       "camera-silent": {
         *         "inApp": false
         *       },
         *       "camera-back": {
         *         "inApp": false
         *       }
         *     }
         */
        NotificationPreferences: {
            "camera-back": {
                inApp: boolean;
            };
            "camera-silent": {
                inApp: boolean;
            };
            "capture-rejected": {
                inApp: boolean;
            };
            "document-uploaded": {
                inApp: boolean;
            };
            "export-ready": {
                inApp: boolean;
            };
            "grant-given": {
                inApp: boolean;
            };
            "membership-given": {
                inApp: boolean;
            };
            "report-pdf-failed": {
                inApp: boolean;
            };
            "report-pdf-ready": {
                inApp: boolean;
            };
            "storage-full": {
                inApp: boolean;
            };
            "storage-low": {
                inApp: boolean;
            };
        };
        /**
         * @example {
         *       "document-uploaded": {
         *         "inApp": false
         *       },
         *       "membership-given": {
         *         "inApp": false
         *       },
         *       "grant-given": {
         *         "inApp": false
         *       },
         *       "report-pdf-ready": {
         *         "inApp": false
         *       },
         *       "report-pdf-failed": {
         *         "inApp": false
         *       },
         *       "storage-low": {
         *         "inApp": false
         *       },
         *       "storage-full": {
         *         "inApp": false
         *       },
         *       "export-ready": {
         *         "inApp": false
         *       },
         *       "capture-rejected": {
         *         "inApp": false
         *       },
         *       "camera-silent": {
         *         "inApp": false
         *       },
         *       "camera-back": {
         *         "inApp": false
         *       }
         *     }
         */
        NotificationPreferencesUpdate: {
            "camera-back"?: {
                inApp: boolean;
            };
            "camera-silent"?: {
                inApp: boolean;
            };
            "capture-rejected"?: {
                inApp: boolean;
            };
            "document-uploaded"?: {
                inApp: boolean;
            };
            "export-ready"?: {
                inApp: boolean;
            };
            "grant-given"?: {
                inApp: boolean;
            };
            "membership-given"?: {
                inApp: boolean;
            };
            "report-pdf-failed"?: {
                inApp: boolean;
            };
            "report-pdf-ready"?: {
                inApp: boolean;
            };
            "storage-full"?: {
                inApp: boolean;
            };
            "storage-low"?: {
                inApp: boolean;
            };
        };
        /**
         * @example {
         *       "id": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *       "name": "North yard",
         *       "role": "owner",
         *       "capabilities": {
         *         "OrganizationView": "None",
         *         "ClusterView": "None",
         *         "LocationView": "None",
         *         "Documents": "None",
         *         "LocationBundles": "None",
         *         "LocationCameras": "None",
         *         "Reports": "None",
         *         "ExternalShareLinksCreate": "None",
         *         "ExternalShareLinksManage": "None"
         *       },
         *       "recognizesScans": false,
         *       "revision": 1,
         *       "createdAtUtc": "2026-11-20T09:30:00.000Z",
         *       "updatedAtUtc": "2026-11-20T09:30:00.000Z"
         *     }
         */
        Organization: {
            capabilities: components["schemas"]["Levels"];
            /**
             * Format: date-time
             * @example 2026-11-20T09:30:00.000Z
             */
            createdAtUtc: string;
            /**
             * Format: uuid
             * @example 0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10
             */
            id: string;
            name: string;
            /** @description Whether the text of scans and photos is recognized. Only an owner may change it. */
            recognizesScans: boolean;
            revision: number;
            /**
             * @description The caller's role.
             * @enum {string}
             */
            role: "owner" | "admin" | "member" | "guest";
            /**
             * Format: date-time
             * @example 2026-11-20T09:30:00.000Z
             */
            updatedAtUtc: string;
        };
        /**
         * @example {
         *       "name": "North yard"
         *     }
         */
        OrganizationCreate: {
            /** @example North yard */
            name: string;
        };
        /**
         * @example {
         *       "items": [
         *         {
         *           "id": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *           "name": "North yard",
         *           "role": "owner",
         *           "capabilities": {
         *             "OrganizationView": "None",
         *             "ClusterView": "None",
         *             "LocationView": "None",
         *             "Documents": "None",
         *             "LocationBundles": "None",
         *             "LocationCameras": "None",
         *             "Reports": "None",
         *             "ExternalShareLinksCreate": "None",
         *             "ExternalShareLinksManage": "None"
         *           },
         *           "recognizesScans": false,
         *           "revision": 1,
         *           "createdAtUtc": "2026-11-20T09:30:00.000Z",
         *           "updatedAtUtc": "2026-11-20T09:30:00.000Z"
         *         }
         *       ],
         *       "nextCursor": "text"
         *     }
         */
        OrganizationList: {
            items: components["schemas"]["Organization"][];
            /** @description Send this as `cursor` to get the next page. Null on the last page. */
            nextCursor: string | null;
        };
        /**
         * @example {
         *       "name": "North yard",
         *       "recognizesScans": false,
         *       "baseRevision": 1
         *     }
         */
        OrganizationUpdate: {
            baseRevision?: number;
            /** @example North yard */
            name?: string;
            recognizesScans?: boolean;
        };
        /**
         * @example {
         *       "width": 1920,
         *       "height": 1080,
         *       "words": [
         *         {
         *           "text": "The bearing at the east pier was replaced.",
         *           "left": 1,
         *           "top": 1,
         *           "width": 1920,
         *           "height": 1080,
         *           "confidence": 1
         *         }
         *       ]
         *     }
         */
        PageWords: {
            height: number;
            /** @description Width of the upright page's picture, pixels. */
            width: number;
            words: {
                /** @description 0 to 100. */
                confidence: number;
                height: number;
                left: number;
                text: string;
                top: number;
                width: number;
            }[];
        };
        /**
         * @example {
         *       "chunkIndex": 1,
         *       "pageNumber": 1,
         *       "text": "The bearing at the east pier was replaced."
         *     }
         */
        Passage: {
            /** @description Position of the passage in reading order, from 0. */
            chunkIndex: number;
            /** @description Page number from 1. Null if the format has no pages. */
            pageNumber: number | null;
            text: string;
        };
        /**
         * @example {
         *       "items": [
         *         {
         *           "chunkIndex": 1,
         *           "pageNumber": 1,
         *           "text": "The bearing at the east pier was replaced."
         *         }
         *       ],
         *       "nextCursor": "text"
         *     }
         */
        PassageList: {
            items: components["schemas"]["Passage"][];
            /** @description Send this as `cursor` to get the next page. Null on the last page. */
            nextCursor: string | null;
        };
        /**
         * @example {
         *       "token": "svcinv1.0192f0c1.secret",
         *       "password": "correct horse battery staple"
         *     }
         */
        PasswordReset: {
            /** Format: password */
            password: string;
            /** @description The part of the link after `#`. */
            token: string;
        };
        /**
         * @example {
         *       "email": "ada@example.org"
         *     }
         */
        PasswordResetRequest: {
            /**
             * Format: email
             * @example ada@example.org
             */
            email: string;
        };
        /**
         * @example {
         *       "operationId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *       "captureId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *       "cameraId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *       "locationId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *       "capturedAtUtc": "2026-11-20T09:30:00.000Z",
         *       "sizeBytes": 52428,
         *       "status": "pending-transfer",
         *       "startedAtUtc": "2026-11-20T09:30:00.000Z",
         *       "expiresAtUtc": "2026-11-20T09:30:00.000Z"
         *     }
         */
        PendingCapture: {
            /**
             * Format: uuid
             * @example 0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10
             */
            cameraId: string;
            /**
             * Format: date-time
             * @example 2026-11-20T09:30:00.000Z
             */
            capturedAtUtc: string;
            /**
             * Format: uuid
             * @example 0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10
             */
            captureId: string;
            /**
             * Format: date-time
             * @example 2026-11-20T09:30:00.000Z
             */
            expiresAtUtc: string;
            /**
             * Format: uuid
             * @example 0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10
             */
            locationId: string;
            /**
             * Format: uuid
             * @example 0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10
             */
            operationId: string;
            sizeBytes: number;
            /**
             * Format: date-time
             * @example 2026-11-20T09:30:00.000Z
             */
            startedAtUtc: string;
            /** @enum {string} */
            status: "pending-transfer" | "verification-pending";
        };
        /**
         * @example {
         *       "items": [
         *         {
         *           "operationId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *           "captureId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *           "cameraId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *           "locationId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *           "capturedAtUtc": "2026-11-20T09:30:00.000Z",
         *           "sizeBytes": 52428,
         *           "status": "pending-transfer",
         *           "startedAtUtc": "2026-11-20T09:30:00.000Z",
         *           "expiresAtUtc": "2026-11-20T09:30:00.000Z"
         *         }
         *       ],
         *       "nextCursor": "text"
         *     }
         */
        PendingCaptureList: {
            items: components["schemas"]["PendingCapture"][];
            /** @description Send this as `cursor` to get the next page. Null on the last page. */
            nextCursor: string | null;
        };
        /**
         * @example {
         *       "id": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *       "name": "North yard",
         *       "organizationIds": [
         *         "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10"
         *       ],
         *       "capabilities": {
         *         "Documents": "Read",
         *         "LocationView": "Read"
         *       },
         *       "revision": 1,
         *       "createdAtUtc": "2026-11-20T09:30:00.000Z",
         *       "expiresAtUtc": "2026-11-20T09:30:00.000Z",
         *       "lastUsedAtUtc": "2026-11-20T09:30:00.000Z"
         *     }
         */
        PersonalAccessToken: {
            capabilities: components["schemas"]["Capabilities"] | null;
            /**
             * Format: date-time
             * @example 2026-11-20T09:30:00.000Z
             */
            createdAtUtc: string;
            /**
             * Format: date-time
             * @example 2026-11-20T09:30:00.000Z
             */
            expiresAtUtc: string | null;
            /**
             * Format: uuid
             * @example 0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10
             */
            id: string;
            /**
             * Format: date-time
             * @description Time of the last use, accurate to five minutes.
             * @example 2026-11-20T09:30:00.000Z
             */
            lastUsedAtUtc: string | null;
            name: string;
            organizationIds: string[] | null;
            revision: number;
        };
        /**
         * @example {
         *       "name": "nightly export",
         *       "expiresAtUtc": "2026-11-20T09:30:00.000Z",
         *       "organizationIds": null,
         *       "capabilities": null
         *     }
         */
        PersonalAccessTokenCreate: {
            /**
             * @description The maximum level of each capability. A capability without an entry has the level None. Null: no maximum.
             * @default null
             */
            capabilities: components["schemas"]["Capabilities"] | null;
            /**
             * Format: date-time
             * @description Time at which the token expires. Null: it does not expire.
             * @example 2026-11-20T09:30:00.000Z
             */
            expiresAtUtc?: string | null;
            /** @example nightly export */
            name: string;
            /**
             * @description The organizations that the token gives access to. Null: all organizations and the personal workspace.
             * @default null
             */
            organizationIds: string[] | null;
        };
        /**
         * @example {
         *       "items": [
         *         {
         *           "id": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *           "name": "North yard",
         *           "organizationIds": [
         *             "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10"
         *           ],
         *           "capabilities": {
         *             "Documents": "Read",
         *             "LocationView": "Read"
         *           },
         *           "revision": 1,
         *           "createdAtUtc": "2026-11-20T09:30:00.000Z",
         *           "expiresAtUtc": "2026-11-20T09:30:00.000Z",
         *           "lastUsedAtUtc": "2026-11-20T09:30:00.000Z"
         *         }
         *       ],
         *       "nextCursor": "text"
         *     }
         */
        PersonalAccessTokenList: {
            items: components["schemas"]["PersonalAccessToken"][];
            /** @description Send this as `cursor` to get the next page. Null on the last page. */
            nextCursor: string | null;
        };
        /**
         * @example {
         *       "name": "nightly export",
         *       "expiresAtUtc": "2026-11-20T09:30:00.000Z",
         *       "organizationIds": [
         *         "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10"
         *       ],
         *       "capabilities": {
         *         "Documents": "Read",
         *         "LocationView": "Read"
         *       },
         *       "baseRevision": 1
         *     }
         */
        PersonalAccessTokenUpdate: {
            baseRevision?: number;
            /** @description The maximum level of each capability. A capability without an entry has the level None. Null: no maximum. */
            capabilities?: components["schemas"]["Capabilities"] | null;
            /**
             * Format: date-time
             * @description Time at which the token expires. Null: it does not expire.
             * @example 2026-11-20T09:30:00.000Z
             */
            expiresAtUtc?: string | null;
            /** @example nightly export */
            name?: string;
            /** @description The organizations that the token gives access to. Null: all organizations and the personal workspace. */
            organizationIds?: string[] | null;
        };
        /**
         * @example {
         *       "type": "text",
         *       "title": "Inspection of the east pier",
         *       "status": 400,
         *       "detail": "Correct these and send it again: name: Required.",
         *       "instance": "/v1/spatial/clusters",
         *       "code": "malformed-request",
         *       "requestId": "text",
         *       "currentRevision": 1,
         *       "errors": [
         *         {
         *           "path": "plans/2026",
         *           "message": "Required",
         *           "line": 1,
         *           "column": 1
         *         }
         *       ]
         *     }
         */
        Problem: {
            /**
             * @description A stable code in kebab-case.
             * @enum {string}
             */
            code: "malformed-request" | "validation-failed" | "invalid-cursor" | "unauthenticated" | "invalid-credentials" | "credential-expired" | "passcode-required" | "credential-revoked" | "forbidden" | "registration-closed" | "not-found" | "method-not-allowed" | "conflict" | "stale-revision" | "ambiguous-key" | "already-exists" | "not-empty" | "last-owner" | "capture-metadata-mismatch" | "assignment-changed" | "other-camera" | "request-in-progress" | "response-unavailable" | "invitation-ended" | "reset-ended" | "pairing-ended" | "export-ended" | "upload-ended" | "precondition-failed" | "content-too-large" | "unsupported-media-type" | "idempotency-key-reused" | "upload-incomplete" | "upload-mismatch" | "not-an-image" | "captured-in-future" | "captured-outside-retention" | "retention-reduction-unconfirmed" | "template-invalid" | "rule-violated" | "rate-limited" | "internal" | "unavailable" | "workspace-moving" | "storage-full";
            currentRevision?: number;
            detail: string;
            errors?: {
                column?: number;
                line?: number;
                message: string;
                path: string;
            }[];
            instance: string;
            requestId: string;
            status: number;
            title: string;
            type: string;
        };
        /**
         * @example {
         *       "user": {
         *         "id": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *         "email": "ada@example.org",
         *         "emailVerified": false,
         *         "displayName": "Ada Lovelace",
         *         "isAdmin": false,
         *         "createdAtUtc": "2026-11-20T09:30:00.000Z"
         *       },
         *       "isAdmin": false,
         *       "credential": {
         *         "kind": "session",
         *         "id": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *         "expiresAtUtc": "2026-11-20T09:30:00.000Z"
         *       },
         *       "memberships": [
         *         {
         *           "organizationId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *           "organizationName": "Northern Bridges",
         *           "role": "owner"
         *         }
         *       ],
         *       "tokenLimits": {
         *         "organizationIds": [
         *           "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10"
         *         ],
         *         "capabilities": {
         *           "Documents": "Read",
         *           "LocationView": "Read"
         *         }
         *       }
         *     }
         */
        Profile: {
            credential: {
                /**
                 * Format: date-time
                 * @example 2026-11-20T09:30:00.000Z
                 */
                expiresAtUtc: string | null;
                /**
                 * Format: uuid
                 * @description Id of the session or token. Null for a token of an external issuer.
                 * @example 0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10
                 */
                id: string | null;
                /** @enum {string} */
                kind: "session" | "pat" | "external";
            };
            /** @description Whether the credential of this request acts as a platform administrator. */
            isAdmin: boolean;
            memberships: components["schemas"]["Membership"][];
            /** @description The restrictions of the personal access token. Null for every other credential. */
            tokenLimits: {
                capabilities: components["schemas"]["Capabilities"] | null;
                organizationIds: string[] | null;
            } | null;
            user: components["schemas"]["User"];
        };
        /**
         * @example {
         *       "displayName": "Ada Lovelace",
         *       "password": {
         *         "current": "correct horse battery staple",
         *         "new": "another correct horse battery"
         *       }
         *     }
         */
        ProfileUpdate: {
            /** @example Ada Lovelace */
            displayName?: string;
            password?: {
                /** Format: password */
                current: string;
                /** Format: password */
                new: string;
            };
        };
        /**
         * @example {
         *       "refreshToken": "svcref1.0192f0c1.secret",
         *       "isSingleUse": false
         *     }
         */
        RefreshRequest: {
            /** @description Deletes the token: a repeat of the request is refused, also within the minute. For a token that came to the client in an address. */
            isSingleUse?: boolean;
            refreshToken: string;
        };
        /**
         * @example {
         *       "email": "ada@example.org",
         *       "password": "correct horse battery staple",
         *       "displayName": "Ada Lovelace",
         *       "invitation": "text"
         *     }
         */
        Registration: {
            /** @example Ada Lovelace */
            displayName: string;
            /**
             * Format: email
             * @example ada@example.org
             */
            email: string;
            /** @description The token from the link of an invitation. */
            invitation?: string;
            /** Format: password */
            password: string;
        };
        /**
         * @example {
         *       "operationId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *       "captureId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *       "cameraId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *       "locationId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *       "capturedAtUtc": "2026-11-20T09:30:00.000Z",
         *       "receivedAtUtc": "2026-11-20T09:30:00.000Z",
         *       "rejectedAtUtc": "2026-11-20T09:30:00.000Z",
         *       "sizeBytes": 52428,
         *       "checksumSha256": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
         *       "rejection": {
         *         "code": "text",
         *         "detail": "Correct these and send it again: name: Required."
         *       }
         *     }
         */
        RejectedCapture: {
            /**
             * Format: uuid
             * @example 0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10
             */
            cameraId: string;
            /**
             * Format: date-time
             * @example 2026-11-20T09:30:00.000Z
             */
            capturedAtUtc: string;
            /**
             * Format: uuid
             * @example 0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10
             */
            captureId: string;
            checksumSha256: string;
            /**
             * Format: uuid
             * @example 0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10
             */
            locationId: string;
            /**
             * Format: uuid
             * @example 0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10
             */
            operationId: string;
            /**
             * Format: date-time
             * @example 2026-11-20T09:30:00.000Z
             */
            receivedAtUtc: string;
            /**
             * Format: date-time
             * @example 2026-11-20T09:30:00.000Z
             */
            rejectedAtUtc: string | null;
            rejection: components["schemas"]["CaptureRejection"];
            /** @description The announced size of the image. */
            sizeBytes: number;
        };
        /**
         * @example {
         *       "items": [
         *         {
         *           "operationId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *           "captureId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *           "cameraId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *           "locationId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *           "capturedAtUtc": "2026-11-20T09:30:00.000Z",
         *           "receivedAtUtc": "2026-11-20T09:30:00.000Z",
         *           "rejectedAtUtc": "2026-11-20T09:30:00.000Z",
         *           "sizeBytes": 52428,
         *           "checksumSha256": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
         *           "rejection": {
         *             "code": "text",
         *             "detail": "Correct these and send it again: name: Required."
         *           }
         *         }
         *       ],
         *       "nextCursor": "text"
         *     }
         */
        RejectedCaptureList: {
            items: components["schemas"]["RejectedCapture"][];
            /** @description Send this as `cursor` to get the next page. Null on the last page. */
            nextCursor: string | null;
        };
        /**
         * @example {
         *       "id": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *       "organizationId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *       "clusterId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *       "locationId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *       "templateId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *       "templateKey": "inspection",
         *       "templateName": "text",
         *       "locationName": "East pier",
         *       "title": "Inspection of the east pier",
         *       "latestPdf": {
         *         "documentId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *         "version": 1,
         *         "jobId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *         "generatedAtUtc": "2026-11-20T09:30:00.000Z"
         *       },
         *       "createdBy": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *       "createdByName": "text",
         *       "revision": 1,
         *       "createdAtUtc": "2026-11-20T09:30:00.000Z",
         *       "updatedAtUtc": "2026-11-20T09:30:00.000Z",
         *       "contentJson": {}
         *     }
         */
        Report: components["schemas"]["ReportSummary"] & {
            contentJson: {
                [key: string]: unknown;
            };
        };
        /**
         * @example {
         *       "reportId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *       "revision": 1,
         *       "contentJson": {},
         *       "protocol": "y-websocket",
         *       "serverUrl": "wss://docs.example.org/v1/reports/rooms",
         *       "roomName": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *       "token": "svcinv1.0192f0c1.secret",
         *       "expiresAtUtc": "2026-11-20T09:30:00.000Z",
         *       "sharedMap": "report",
         *       "bodyFieldPath": "body",
         *       "readOnly": false,
         *       "user": {
         *         "id": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *         "name": "North yard",
         *         "color": "#0f766e"
         *       }
         *     }
         */
        ReportCollaboration: {
            /** @description The string at this path is a Y.Text. */
            bodyFieldPath: string | null;
            contentJson: {
                [key: string]: unknown;
            };
            /**
             * Format: date-time
             * @description The room closes the connection with 4401 then: request a new token and connect again.
             * @example 2026-11-20T09:30:00.000Z
             */
            expiresAtUtc: string;
            /** @enum {string} */
            protocol: "y-websocket";
            /** @description The room rejects edits of this caller. */
            readOnly: boolean;
            /**
             * Format: uuid
             * @example 0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10
             */
            reportId: string;
            revision: number;
            /** @description The provider's second argument. */
            roomName: string;
            /** @description The provider's first argument. */
            serverUrl: string;
            /**
             * @description The draft is the Y.Map of this name.
             * @enum {string}
             */
            sharedMap: "report";
            /** @description Send it as the provider's parameter `token`. */
            token: string;
            /** @description The name and colour that others see. They replace those that the client sends. */
            user: {
                color: string;
                /**
                 * Format: uuid
                 * @example 0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10
                 */
                id: string;
                name: string;
            };
        };
        /**
         * @example {
         *       "templateKey": "inspection",
         *       "title": "Inspection of the east pier"
         *     }
         */
        ReportCreate: {
            /** @description The default is the skeleton of the template. */
            contentJson?: {
                [key: string]: unknown;
            };
            /**
             * Format: uuid
             * @example 0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10
             */
            templateId?: string;
            /**
             * @description The key of your own template, or else of one of the location's organization.
             * @example site-inspection
             */
            templateKey?: string;
            /**
             * @description The default is the name of the template.
             * @example North yard
             */
            title?: string;
        };
        /**
         * @example {
         *       "id": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *       "reportId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *       "status": "queued",
         *       "progress": {
         *         "done": 1,
         *         "total": 1,
         *         "step": "waiting"
         *       },
         *       "error": {
         *         "code": "text",
         *         "detail": "Correct these and send it again: name: Required."
         *       },
         *       "missingImages": [
         *         {
         *           "image": "images/pier.jpg",
         *           "code": "text",
         *           "detail": "Correct these and send it again: name: Required."
         *         }
         *       ],
         *       "warnings": [
         *         {
         *           "code": "text",
         *           "at": "The east pier",
         *           "detail": "Correct these and send it again: name: Required."
         *         }
         *       ],
         *       "documentId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *       "version": 1,
         *       "downloadUrl": "text",
         *       "createdAtUtc": "2026-11-20T09:30:00.000Z",
         *       "startedAtUtc": "2026-11-20T09:30:00.000Z",
         *       "finishedAtUtc": "2026-11-20T09:30:00.000Z"
         *     }
         */
        ReportJob: {
            /**
             * Format: date-time
             * @example 2026-11-20T09:30:00.000Z
             */
            createdAtUtc: string;
            /**
             * Format: uuid
             * @description The document of the PDF; null until it exists, or if you may not read it.
             * @example 0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10
             */
            documentId: string | null;
            /** @description The path to download the PDF from. */
            downloadUrl: string | null;
            error: {
                code: string;
                detail: string;
            } | null;
            /**
             * Format: date-time
             * @example 2026-11-20T09:30:00.000Z
             */
            finishedAtUtc: string | null;
            /**
             * Format: uuid
             * @example 0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10
             */
            id: string;
            /** @description Pictures that are missing: the PDF shows a placeholder for each. */
            missingImages: {
                code: string;
                detail: string;
                /** @description The path of the picture, or the value in the draft. */
                image: string;
            }[];
            progress: {
                done: number;
                /**
                 * @description The current step.
                 * @enum {string}
                 */
                step: "waiting" | "rendering" | "printing" | "storing" | "done";
                total: number;
            };
            /**
             * Format: uuid
             * @example 0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10
             */
            reportId: string;
            /**
             * Format: date-time
             * @example 2026-11-20T09:30:00.000Z
             */
            startedAtUtc: string | null;
            /** @enum {string} */
            status: "queued" | "running" | "succeeded" | "failed" | "cancelled";
            /** @description The version of that document. */
            version: number | null;
            /** @description Elements that do not print well: `table-very-small`, `too-wide`, `too-tall`, `missing-glyphs`, `picture-damaged`. */
            warnings: {
                /** @description The first words of the element. */
                at: string;
                code: string;
                detail: string;
            }[];
        };
        /**
         * @example {
         *       "jobId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *       "statusUrl": "text"
         *     }
         */
        ReportJobReference: {
            /**
             * Format: uuid
             * @example 0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10
             */
            jobId: string;
            /** @description The path of the job's status. */
            statusUrl: string;
        };
        /**
         * @example {
         *       "documentId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *       "version": 1,
         *       "jobId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *       "generatedAtUtc": "2026-11-20T09:30:00.000Z"
         *     }
         */
        ReportPdf: {
            /**
             * Format: uuid
             * @example 0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10
             */
            documentId: string;
            /**
             * Format: date-time
             * @example 2026-11-20T09:30:00.000Z
             */
            generatedAtUtc: string;
            /**
             * Format: uuid
             * @example 0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10
             */
            jobId: string;
            version: number;
        };
        /**
         * @example {
         *       "id": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *       "organizationId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *       "clusterId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *       "locationId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *       "templateId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *       "templateKey": "inspection",
         *       "templateName": "text",
         *       "locationName": "East pier",
         *       "title": "Inspection of the east pier",
         *       "latestPdf": {
         *         "documentId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *         "version": 1,
         *         "jobId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *         "generatedAtUtc": "2026-11-20T09:30:00.000Z"
         *       },
         *       "createdBy": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *       "createdByName": "text",
         *       "revision": 1,
         *       "createdAtUtc": "2026-11-20T09:30:00.000Z",
         *       "updatedAtUtc": "2026-11-20T09:30:00.000Z"
         *     }
         */
        ReportSummary: {
            /**
             * Format: uuid
             * @example 0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10
             */
            clusterId: string;
            /**
             * Format: date-time
             * @example 2026-11-20T09:30:00.000Z
             */
            createdAtUtc: string;
            /**
             * Format: uuid
             * @example 0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10
             */
            createdBy: string | null;
            createdByName: string | null;
            /**
             * Format: uuid
             * @example 0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10
             */
            id: string;
            /** @description The latest PDF, if it is still in the library and you may read it. */
            latestPdf: components["schemas"]["ReportPdf"] | null;
            /**
             * Format: uuid
             * @example 0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10
             */
            locationId: string;
            /** @description Null if you may not see the location itself. */
            locationName: string | null;
            /**
             * Format: uuid
             * @example 0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10
             */
            organizationId: string | null;
            revision: number;
            /**
             * Format: uuid
             * @example 0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10
             */
            templateId: string;
            templateKey: string;
            templateName: string;
            title: string;
            /**
             * Format: date-time
             * @example 2026-11-20T09:30:00.000Z
             */
            updatedAtUtc: string;
        };
        /**
         * @example {
         *       "items": [
         *         {
         *           "id": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *           "organizationId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *           "clusterId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *           "locationId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *           "templateId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *           "templateKey": "inspection",
         *           "templateName": "text",
         *           "locationName": "East pier",
         *           "title": "Inspection of the east pier",
         *           "latestPdf": {
         *             "documentId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *             "version": 1,
         *             "jobId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *             "generatedAtUtc": "2026-11-20T09:30:00.000Z"
         *           },
         *           "createdBy": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *           "createdByName": "text",
         *           "revision": 1,
         *           "createdAtUtc": "2026-11-20T09:30:00.000Z",
         *           "updatedAtUtc": "2026-11-20T09:30:00.000Z"
         *         }
         *       ],
         *       "nextCursor": "text"
         *     }
         */
        ReportSummaryList: {
            items: components["schemas"]["ReportSummary"][];
            /** @description Send this as `cursor` to get the next page. Null on the last page. */
            nextCursor: string | null;
        };
        /**
         * @example {
         *       "id": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *       "key": "text",
         *       "displayName": "Ada Lovelace",
         *       "ownerType": "user",
         *       "organizationId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *       "htmlLayoutTemplate": "<h1>{{title}}</h1>",
         *       "cssStylesheetTemplate": "h1 { color: {{brand.primaryColor}}; }",
         *       "cssMediaType": "print",
         *       "contentTemplateJson": {},
         *       "bodyFieldPath": "body",
         *       "revision": 1,
         *       "createdAtUtc": "2026-11-20T09:30:00.000Z",
         *       "updatedAtUtc": "2026-11-20T09:30:00.000Z"
         *     }
         */
        ReportTemplate: {
            bodyFieldPath: string | null;
            contentTemplateJson: {
                [key: string]: unknown;
            };
            /**
             * Format: date-time
             * @example 2026-11-20T09:30:00.000Z
             */
            createdAtUtc: string;
            cssMediaType: string;
            cssStylesheetTemplate: string;
            displayName: string;
            htmlLayoutTemplate: string;
            /**
             * Format: uuid
             * @example 0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10
             */
            id: string;
            key: string;
            /**
             * Format: uuid
             * @example 0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10
             */
            organizationId: string | null;
            /** @enum {string} */
            ownerType: "user" | "organization";
            revision: number;
            /**
             * Format: date-time
             * @example 2026-11-20T09:30:00.000Z
             */
            updatedAtUtc: string;
        };
        /**
         * @example {
         *       "key": "site-inspection",
         *       "displayName": "North yard",
         *       "htmlLayoutTemplate": "",
         *       "cssStylesheetTemplate": "",
         *       "cssMediaType": "text/css",
         *       "contentTemplateJson": {},
         *       "bodyFieldPath": "body"
         *     }
         */
        ReportTemplateCreate: {
            /**
             * @description The path of the report's main text in its JSON. The text is markdown.
             * @example body
             */
            bodyFieldPath?: string | null;
            contentTemplateJson: {
                [key: string]: unknown;
            };
            /**
             * @default text/css
             * @enum {string}
             */
            cssMediaType: "text/css";
            /** @default  */
            cssStylesheetTemplate: string;
            /** @example North yard */
            displayName: string;
            /**
             * @description The HTML of the page. If it is empty, the default wrapper is used.
             * @default
             */
            htmlLayoutTemplate: string;
            /** @example site-inspection */
            key: string;
        };
        /**
         * @example {
         *       "key": "site-inspection",
         *       "displayName": "North yard",
         *       "htmlLayoutTemplate": "",
         *       "cssStylesheetTemplate": "",
         *       "cssMediaType": "text/css",
         *       "contentTemplateJson": {},
         *       "bodyFieldPath": "body",
         *       "organizationId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *       "reportId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10"
         *     }
         */
        ReportTemplatePreview: {
            /**
             * @description The path of the report's main text in its JSON. The text is markdown.
             * @example body
             */
            bodyFieldPath?: string | null;
            contentTemplateJson: {
                [key: string]: unknown;
            };
            /**
             * @default text/css
             * @enum {string}
             */
            cssMediaType: "text/css";
            /** @default  */
            cssStylesheetTemplate: string;
            /** @example North yard */
            displayName: string;
            /**
             * @description The HTML of the page. If it is empty, the default wrapper is used.
             * @default
             */
            htmlLayoutTemplate: string;
            /** @example site-inspection */
            key: string;
            /**
             * Format: uuid
             * @description The organization of the template; null for your own template.
             * @example 0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10
             */
            organizationId?: string | null;
            /**
             * Format: uuid
             * @description The report that the page shows. Without it, the page shows the skeleton.
             * @example 0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10
             */
            reportId?: string;
        };
        /**
         * @example {
         *       "id": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *       "key": "text",
         *       "displayName": "Ada Lovelace",
         *       "ownerType": "user",
         *       "organizationId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *       "cssMediaType": "print",
         *       "bodyFieldPath": "body",
         *       "revision": 1,
         *       "createdAtUtc": "2026-11-20T09:30:00.000Z",
         *       "updatedAtUtc": "2026-11-20T09:30:00.000Z"
         *     }
         */
        ReportTemplateSummary: {
            bodyFieldPath: string | null;
            /**
             * Format: date-time
             * @example 2026-11-20T09:30:00.000Z
             */
            createdAtUtc: string;
            cssMediaType: string;
            displayName: string;
            /**
             * Format: uuid
             * @example 0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10
             */
            id: string;
            key: string;
            /**
             * Format: uuid
             * @example 0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10
             */
            organizationId: string | null;
            /** @enum {string} */
            ownerType: "user" | "organization";
            revision: number;
            /**
             * Format: date-time
             * @example 2026-11-20T09:30:00.000Z
             */
            updatedAtUtc: string;
        };
        /**
         * @example {
         *       "items": [
         *         {
         *           "id": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *           "key": "text",
         *           "displayName": "Ada Lovelace",
         *           "ownerType": "user",
         *           "organizationId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *           "cssMediaType": "print",
         *           "bodyFieldPath": "body",
         *           "revision": 1,
         *           "createdAtUtc": "2026-11-20T09:30:00.000Z",
         *           "updatedAtUtc": "2026-11-20T09:30:00.000Z"
         *         }
         *       ],
         *       "nextCursor": "text"
         *     }
         */
        ReportTemplateSummaryList: {
            items: components["schemas"]["ReportTemplateSummary"][];
            /** @description Send this as `cursor` to get the next page. Null on the last page. */
            nextCursor: string | null;
        };
        /**
         * @example {
         *       "key": "site-inspection",
         *       "displayName": "North yard",
         *       "htmlLayoutTemplate": "",
         *       "cssStylesheetTemplate": "",
         *       "cssMediaType": "text/css",
         *       "contentTemplateJson": {},
         *       "bodyFieldPath": "body",
         *       "baseRevision": 1
         *     }
         */
        ReportTemplateUpdate: {
            baseRevision?: number;
            /**
             * @description The path of the report's main text in its JSON. The text is markdown.
             * @example body
             */
            bodyFieldPath?: string | null;
            contentTemplateJson: {
                [key: string]: unknown;
            };
            /**
             * @default text/css
             * @enum {string}
             */
            cssMediaType: "text/css";
            /** @default  */
            cssStylesheetTemplate: string;
            /** @example North yard */
            displayName: string;
            /**
             * @description The HTML of the page. If it is empty, the default wrapper is used.
             * @default
             */
            htmlLayoutTemplate: string;
            /** @example site-inspection */
            key: string;
        };
        /**
         * @example {
         *       "contentJson": {},
         *       "title": "North yard",
         *       "baseRevision": 1
         *     }
         */
        ReportUpdate: {
            baseRevision?: number;
            contentJson: {
                [key: string]: unknown;
            };
            /** @example North yard */
            title?: string;
        };
        /**
         * @example {
         *       "rerun": 1,
         *       "remaining": false
         *     }
         */
        RerunJobs: {
            /** @description Whether more failed jobs of this kind are left. */
            remaining: boolean;
            /** @description Number of jobs that run again. */
            rerun: number;
        };
        /**
         * @example {
         *       "kind": "index-asset"
         *     }
         */
        RerunJobsRequest: {
            jobIds?: string[];
            /** @enum {string} */
            kind?: "verify-upload" | "verify-capture" | "extract-document" | "recognize-document" | "resume-recognition" | "derive-images" | "print-report" | "index-document" | "index-asset" | "index-shared" | "backfill-documents" | "backfill-assets" | "end-report-rooms" | "expire-searches" | "merge-index" | "delete-tree" | "empty-trash" | "announce" | "expire-notifications" | "purge-objects" | "expire-uploads" | "expire-captures" | "clean-frames" | "clear-staging" | "expire-credentials" | "copy-person" | "verify-address" | "settle-invitation" | "mail-password-reset" | "watch-cameras" | "expire-sharing" | "expire-camera-shares" | "prepare-export" | "expire-exports" | "expire-requests";
        };
        /**
         * @example {
         *       "organizationId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *       "fromUtc": "2026-11-20T09:30:00.000Z",
         *       "toUtc": "2026-11-20T09:30:00.000Z",
         *       "searches": 1,
         *       "clicks": 1,
         *       "meanClickRank": 1,
         *       "mostFrequent": [
         *         {
         *           "term": "bearing replacement",
         *           "searches": 1,
         *           "clicks": 1,
         *           "meanClickRank": 1
         *         }
         *       ],
         *       "zeroResults": [
         *         {
         *           "term": "bearing replacement",
         *           "searches": 1,
         *           "clicks": 1,
         *           "meanClickRank": 1
         *         }
         *       ],
         *       "neverClicked": [
         *         {
         *           "term": "bearing replacement",
         *           "searches": 1,
         *           "clicks": 1,
         *           "meanClickRank": 1
         *         }
         *       ]
         *     }
         */
        SearchInsights: {
            /** @description Searches with at least one result that a user opened, previewed, downloaded or copied from. */
            clicks: number;
            /**
             * Format: date-time
             * @example 2026-11-20T09:30:00.000Z
             */
            fromUtc: string;
            /** @description Mean rank position of the clicked results; 1 is the first. */
            meanClickRank: number | null;
            mostFrequent: components["schemas"]["SearchQueryStatistics"][];
            neverClicked: components["schemas"]["SearchQueryStatistics"][];
            /**
             * Format: uuid
             * @example 0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10
             */
            organizationId: string;
            searches: number;
            /**
             * Format: date-time
             * @example 2026-11-20T09:30:00.000Z
             */
            toUtc: string;
            zeroResults: components["schemas"]["SearchQueryStatistics"][];
        };
        /**
         * @example {
         *       "searchId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *       "action": "ResultClick",
         *       "resultId": "document:0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *       "resultType": "Document",
         *       "rankPosition": 1,
         *       "dwellMilliseconds": 1,
         *       "reformulatedTerm": "bearing replacement"
         *     }
         */
        SearchInteraction: {
            /** @enum {string} */
            action: "ResultClick" | "PreviewOpen" | "DocumentOpen" | "Download" | "SnippetCopy" | "QueryReformulated";
            dwellMilliseconds?: number;
            rankPosition?: number;
            /** @description Required with QueryReformulated. */
            reformulatedTerm?: string;
            resultId?: string;
            /** @enum {string} */
            resultType?: "Document" | "DocumentContent" | "Location" | "Cluster" | "SpatialMetadata";
            /**
             * Format: uuid
             * @example 0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10
             */
            searchId: string;
        };
        /**
         * @example {
         *       "accepted": true
         *     }
         */
        SearchInteractionResult: {
            /** @enum {boolean} */
            accepted: true;
        };
        /**
         * @example {
         *       "resultId": "documentcontent:0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10.4",
         *       "score": 1,
         *       "snippet": "The bearing at the east pier was replaced.",
         *       "source": {
         *         "documentId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *         "pageNumber": 1,
         *         "chunkIndex": 1
         *       }
         *     }
         */
        SearchPassage: {
            /** @example documentcontent:0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10.4 */
            resultId: string;
            score: number;
            /** @description HTML-escaped excerpt with matches in `<mark>`. */
            snippet: string;
            source: {
                chunkIndex: number | null;
                /**
                 * Format: uuid
                 * @example 0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10
                 */
                documentId: string;
                pageNumber: number | null;
            };
        };
        /**
         * @example {
         *       "term": "bearing replacement",
         *       "searches": 1,
         *       "clicks": 1,
         *       "meanClickRank": 1
         *     }
         */
        SearchQueryStatistics: {
            clicks: number;
            meanClickRank: number | null;
            searches: number;
            term: string;
        };
        /**
         * @example {
         *       "term": "bridge \"bearing replacement\" -draft",
         *       "limit": 20
         *     }
         */
        SearchRequest: {
            /** @description False: words that occur nowhere are not replaced by similar words that do. */
            correct?: boolean;
            cursor?: string;
            /**
             * Format: uuid
             * @description Returns this document alone, with up to 50 of its passages, as the whole search ranks them.
             * @example 0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10
             */
            documentId?: string;
            /** @default 20 */
            limit: number;
            scope?: components["schemas"]["SearchScope"];
            /**
             * @description Words, `"a phrase"`, `-word`, `word*`. Every text is a valid query.
             * @example bridge "bearing replacement" -draft
             */
            term: string;
        };
        /**
         * @example {
         *       "searchId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *       "results": [
         *         {
         *           "resultId": "document:0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *           "resultType": "Document",
         *           "rankPosition": 1,
         *           "score": 1,
         *           "title": "Inspection of the east pier",
         *           "markedTitle": "text",
         *           "subtitle": "plans/2026",
         *           "snippet": "The bearing at the east pier was replaced.",
         *           "source": {
         *             "documentId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *             "pageNumber": 1,
         *             "chunkIndex": 1
         *           },
         *           "passages": [
         *             {
         *               "resultId": "documentcontent:0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10.4",
         *               "score": 1,
         *               "snippet": "The bearing at the east pier was replaced.",
         *               "source": {
         *                 "documentId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *                 "pageNumber": 1,
         *                 "chunkIndex": 1
         *               }
         *             }
         *           ],
         *           "passageCount": 1,
         *           "organizationId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *           "clusterId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *           "locationId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *           "clusterName": "text",
         *           "locationName": "East pier",
         *           "updatedAtUtc": "2026-11-20T09:30:00.000Z"
         *         }
         *       ],
         *       "nextCursor": "text",
         *       "total": {
         *         "count": 1,
         *         "isExact": false
         *       },
         *       "correctedTerm": "bridge bearing"
         *     }
         */
        SearchResponse: {
            /** @description The corrected term that was searched, if one of your words occurs nowhere and a similar word does. */
            correctedTerm: string | null;
            nextCursor: string | null;
            results: components["schemas"]["SearchResult"][];
            /**
             * Format: uuid
             * @example 0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10
             */
            searchId: string;
            /** @description Number of all results, over all pages. It is a minimum, and `isExact` is false, if the words of the query, or words that begin with its last ones, occur too often to read all their occurrences. */
            total: {
                count: number;
                isExact: boolean;
            };
        };
        /**
         * @example {
         *       "resultId": "document:0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *       "resultType": "Document",
         *       "rankPosition": 1,
         *       "score": 1,
         *       "title": "Inspection of the east pier",
         *       "markedTitle": "text",
         *       "subtitle": "plans/2026",
         *       "snippet": "The bearing at the east pier was replaced.",
         *       "source": {
         *         "documentId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *         "pageNumber": 1,
         *         "chunkIndex": 1
         *       },
         *       "passages": [
         *         {
         *           "resultId": "documentcontent:0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10.4",
         *           "score": 1,
         *           "snippet": "The bearing at the east pier was replaced.",
         *           "source": {
         *             "documentId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *             "pageNumber": 1,
         *             "chunkIndex": 1
         *           }
         *         }
         *       ],
         *       "passageCount": 1,
         *       "organizationId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *       "clusterId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *       "locationId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *       "clusterName": "text",
         *       "locationName": "East pier",
         *       "updatedAtUtc": "2026-11-20T09:30:00.000Z"
         *     }
         */
        SearchResult: {
            /**
             * Format: uuid
             * @example 0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10
             */
            clusterId: string;
            /** @description Null if you may not see the cluster. */
            clusterName: string | null;
            /**
             * Format: uuid
             * @example 0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10
             */
            locationId: string | null;
            /** @description Null without a location that you may see. */
            locationName: string | null;
            /** @description HTML-escaped title with matches in `<mark>`. */
            markedTitle: string;
            /**
             * Format: uuid
             * @example 0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10
             */
            organizationId: string | null;
            /** @description Number of such passages in the document. */
            passageCount: number;
            /** @description Passages of the document with words of the term, the best first: at most 3, or 50 with `documentId`. */
            passages: components["schemas"]["SearchPassage"][];
            /** @description Rank of the result over all pages, from 1. */
            rankPosition: number;
            /** @example document:0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10 */
            resultId: string;
            /**
             * @description A document is one result: Document if its name matches, or DocumentContent if only its text does. All its `passages` are DocumentContent.
             * @enum {string}
             */
            resultType: "Document" | "DocumentContent" | "Location" | "Cluster" | "SpatialMetadata";
            score: number;
            /** @description HTML-escaped excerpt with matches in `<mark>`; null when there is no text to show. */
            snippet: string | null;
            /** @description Position of the best passage in a document; null for other results. */
            source: {
                chunkIndex: number | null;
                /**
                 * Format: uuid
                 * @example 0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10
                 */
                documentId: string;
                pageNumber: number | null;
            } | null;
            subtitle: string;
            title: string;
            /**
             * Format: date-time
             * @example 2026-11-20T09:30:00.000Z
             */
            updatedAtUtc: string;
        };
        /**
         * @default {
         *       "includeShared": true
         *     }
         * @example {
         *       "includeShared": true
         *     }
         */
        SearchScope: {
            clusterIds?: string[];
            /**
             * @description Whether the search includes resources that you see through grants only.
             * @default true
             */
            includeShared: boolean;
            locationIds?: string[];
            organizationIds?: string[];
            resultTypes?: ("Document" | "DocumentContent" | "Location" | "Cluster" | "SpatialMetadata")[];
        };
        /**
         * @example {
         *       "id": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *       "current": false,
         *       "createdAtUtc": "2026-11-20T09:30:00.000Z",
         *       "lastUsedAtUtc": "2026-11-20T09:30:00.000Z",
         *       "expiresAtUtc": "2026-11-20T09:30:00.000Z",
         *       "userAgent": "Mozilla/5.0",
         *       "ip": "203.0.113.7"
         *     }
         */
        Session: {
            /**
             * Format: date-time
             * @example 2026-11-20T09:30:00.000Z
             */
            createdAtUtc: string;
            current: boolean;
            /**
             * Format: date-time
             * @example 2026-11-20T09:30:00.000Z
             */
            expiresAtUtc: string;
            /**
             * Format: uuid
             * @example 0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10
             */
            id: string;
            ip: string;
            /**
             * Format: date-time
             * @description Time of the last sign-in or refresh.
             * @example 2026-11-20T09:30:00.000Z
             */
            lastUsedAtUtc: string;
            userAgent: string;
        };
        /**
         * @example {
         *       "items": [
         *         {
         *           "id": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *           "current": false,
         *           "createdAtUtc": "2026-11-20T09:30:00.000Z",
         *           "lastUsedAtUtc": "2026-11-20T09:30:00.000Z",
         *           "expiresAtUtc": "2026-11-20T09:30:00.000Z",
         *           "userAgent": "Mozilla/5.0",
         *           "ip": "203.0.113.7"
         *         }
         *       ],
         *       "nextCursor": "text"
         *     }
         */
        SessionList: {
            items: components["schemas"]["Session"][];
            /** @description Send this as `cursor` to get the next page. Null on the last page. */
            nextCursor: string | null;
        };
        /**
         * @example {
         *       "accessToken": "eyJhbGciOiJFZERTQSJ9.eyJzdWIiOiIwMTkyZjBjMSJ9.c2lnbmF0dXJl",
         *       "expiresAtUtc": "2026-11-20T09:30:00.000Z",
         *       "refreshToken": "svcref1.0192f0c1.secret",
         *       "user": {
         *         "id": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *         "email": "ada@example.org",
         *         "emailVerified": false,
         *         "displayName": "Ada Lovelace",
         *         "isAdmin": false,
         *         "createdAtUtc": "2026-11-20T09:30:00.000Z"
         *       }
         *     }
         */
        SessionTokens: {
            /** @description Send it as `Authorization: Bearer …`. It expires after 15 minutes. */
            accessToken: string;
            /**
             * Format: date-time
             * @example 2026-11-20T09:30:00.000Z
             */
            expiresAtUtc: string;
            /** @description Use it for one refresh. The session ends after 30 days without a refresh. */
            refreshToken: string;
            user: components["schemas"]["User"];
        };
        /**
         * @example {
         *       "name": "North yard",
         *       "primaryColor": "#0f766e",
         *       "hasLogo": false,
         *       "revision": 1
         *     }
         */
        SharedBrand: {
            /** @description Whether `GET /v1/shared-cameras/logo` gives a picture. */
            hasLogo: boolean;
            name: string;
            primaryColor: string | null;
            /** @description Changes when the logo changes. */
            revision: number;
        };
        /**
         * @example {
         *       "name": "North yard",
         *       "revision": 1,
         *       "brand": {
         *         "name": "North yard",
         *         "primaryColor": "#0f766e",
         *         "hasLogo": false,
         *         "revision": 1
         *       },
         *       "cameras": [
         *         {
         *           "id": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *           "name": "North gate",
         *           "captureIntervalMinutes": 15,
         *           "timeZone": "Europe/Oslo"
         *         }
         *       ]
         *     }
         */
        SharedCameraList: {
            /** @description Null unless the organization shows its brand on share links. */
            brand: components["schemas"]["SharedBrand"] | null;
            cameras: {
                /**
                 * @description Minutes between two images.
                 * @example 15
                 */
                captureIntervalMinutes: number;
                /**
                 * Format: uuid
                 * @example 0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10
                 */
                id: string;
                /**
                 * @description Name of the camera, one line.
                 * @example North gate
                 */
                name: string;
                /**
                 * @description IANA name of the time zone in which the camera's days and its capture window are read.
                 * @example Europe/Oslo
                 */
                timeZone: string;
            }[];
            name: string;
            revision: number;
        };
        /**
         * @example {
         *       "pass": "text",
         *       "expiresAtUtc": "2026-11-20T09:30:00.000Z"
         *     }
         */
        SharedCamerasPass: {
            /**
             * Format: date-time
             * @example 2026-11-20T09:30:00.000Z
             */
            expiresAtUtc: string;
            /** @description Send it in the header X-Camera-Share-Pass with every request of the link. */
            pass: string;
        };
        /**
         * @example {
         *       "passcode": "text"
         *     }
         */
        SharedCamerasUnlock: {
            /** Format: password */
            passcode: string;
        };
        /**
         * @example {
         *       "first": {
         *         "id": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *         "cameraId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *         "capturedAtUtc": "2026-11-20T09:30:00.000Z",
         *         "width": 1920,
         *         "height": 1080,
         *         "clockQuality": "synchronized",
         *         "contentType": "image/jpeg",
         *         "locationId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *         "receivedAtUtc": "2026-11-20T09:30:00.000Z",
         *         "sizeBytes": 52428,
         *         "checksumSha256": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
         *       },
         *       "last": {
         *         "id": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *         "cameraId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *         "capturedAtUtc": "2026-11-20T09:30:00.000Z",
         *         "width": 1920,
         *         "height": 1080,
         *         "clockQuality": "synchronized",
         *         "contentType": "image/jpeg",
         *         "locationId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *         "receivedAtUtc": "2026-11-20T09:30:00.000Z",
         *         "sizeBytes": 52428,
         *         "checksumSha256": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
         *       },
         *       "gaps": [
         *         {
         *           "startUtc": "2026-11-20T09:30:00.000Z",
         *           "endUtc": "2026-11-20T09:30:00.000Z",
         *           "cause": "paused"
         *         }
         *       ],
         *       "openGap": {
         *         "startUtc": "2026-11-20T09:30:00.000Z",
         *         "endUtc": "2026-11-20T09:30:00.000Z",
         *         "cause": "paused"
         *       },
         *       "watermark": 1
         *     }
         */
        SharedCameraTimeline: {
            first: components["schemas"]["SharedCapture"] | null;
            /** @description The 128 largest gaps between two consecutive captures, in order of time. */
            gaps: components["schemas"]["TimelineGap"][];
            last: components["schemas"]["SharedCapture"] | null;
            /** @description The time from the last capture until the service read the timeline, at most 30 seconds ago, if it lasts three intervals and half an hour. Null for a range, for a retired camera, at a location that the camera left, and after the time of a share link. */
            openGap: components["schemas"]["TimelineGap"] | null;
            /** @description Changes when captures or gaps between them may have changed. It grows when an image of the camera is published or removed. At a location that the camera left, it is a hash of them. */
            watermark: number;
        };
        /**
         * @description The location, the time of arrival, the size and the checksum describe the original. A link that hides metadata serves other bytes, and leaves them out.
         * @example {
         *       "id": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *       "cameraId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *       "capturedAtUtc": "2026-11-20T09:30:00.000Z",
         *       "width": 1920,
         *       "height": 1080,
         *       "clockQuality": "synchronized",
         *       "contentType": "image/jpeg",
         *       "locationId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *       "receivedAtUtc": "2026-11-20T09:30:00.000Z",
         *       "sizeBytes": 52428,
         *       "checksumSha256": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
         *     }
         */
        SharedCapture: {
            /**
             * Format: uuid
             * @example 0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10
             */
            cameraId: string;
            /**
             * Format: date-time
             * @example 2026-11-20T09:30:00.000Z
             */
            capturedAtUtc: string;
            checksumSha256?: string;
            /** @enum {string} */
            clockQuality: "synchronized" | "estimated";
            /** @enum {string} */
            contentType: "image/jpeg";
            height: number;
            /**
             * Format: uuid
             * @example 0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10
             */
            id: string;
            /**
             * Format: uuid
             * @example 0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10
             */
            locationId?: string;
            /**
             * Format: date-time
             * @example 2026-11-20T09:30:00.000Z
             */
            receivedAtUtc?: string;
            sizeBytes?: number;
            /** @description Pixels of the upright picture. */
            width: number;
        };
        /**
         * @example {
         *       "capture": {
         *         "id": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *         "cameraId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *         "capturedAtUtc": "2026-11-20T09:30:00.000Z",
         *         "width": 1920,
         *         "height": 1080,
         *         "clockQuality": "synchronized",
         *         "contentType": "image/jpeg",
         *         "locationId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *         "receivedAtUtc": "2026-11-20T09:30:00.000Z",
         *         "sizeBytes": 52428,
         *         "checksumSha256": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
         *       }
         *     }
         */
        SharedCaptureSeekResult: {
            capture: components["schemas"]["SharedCapture"] | null;
        };
        /**
         * @example {
         *       "captureId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *       "capturedAtUtc": "2026-11-20T09:30:00.000Z",
         *       "thumbnailUrl": "https://docs.example.org/objects/thumbnail.jpg"
         *     }
         */
        SharedFrame: {
            /**
             * Format: date-time
             * @example 2026-11-20T09:30:00.000Z
             */
            capturedAtUtc: string;
            /**
             * Format: uuid
             * @example 0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10
             */
            captureId: string;
            /** @description Send X-Camera-Share with the request for it. */
            thumbnailUrl: string;
        };
        /**
         * @example {
         *       "frames": [
         *         {
         *           "captureId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *           "capturedAtUtc": "2026-11-20T09:30:00.000Z",
         *           "thumbnailUrl": "https://docs.example.org/objects/thumbnail.jpg"
         *         }
         *       ]
         *     }
         */
        SharedFrameList: {
            frames: components["schemas"]["SharedFrame"][];
        };
        /**
         * @example {
         *       "cameraId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *       "preview": {
         *         "captureId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *         "capturedAtUtc": "2026-11-20T09:30:00.000Z",
         *         "width": 1920,
         *         "height": 1080,
         *         "jpegBase64": "/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAAEBAQ=="
         *       }
         *     }
         */
        SharedLatestPreview: {
            /**
             * Format: uuid
             * @example 0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10
             */
            cameraId: string;
            preview: components["schemas"]["TimelinePreview"] | null;
        };
        /**
         * @example {
         *       "items": [
         *         {
         *           "cameraId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *           "preview": {
         *             "captureId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *             "capturedAtUtc": "2026-11-20T09:30:00.000Z",
         *             "width": 1920,
         *             "height": 1080,
         *             "jpegBase64": "/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAAEBAQ=="
         *           }
         *         }
         *       ]
         *     }
         */
        SharedLatestPreviewList: {
            items: components["schemas"]["SharedLatestPreview"][];
        };
        /**
         * @example {
         *       "refreshToken": "svcref1.0192f0c1.secret"
         *     }
         */
        SignOutRequest: {
            refreshToken?: string;
        };
        /**
         * @example {
         *       "limitBytes": 1,
         *       "usedBytes": 1,
         *       "reservedBytes": 1,
         *       "kinds": {
         *         "documentBytes": 1,
         *         "olderVersionBytes": 1,
         *         "imageBytes": 1,
         *         "brandingBytes": 1,
         *         "trashBytes": 1
         *       },
         *       "forecast": {
         *         "cameraCount": 1,
         *         "neededBytes": 1,
         *         "bytesPerDay": 1,
         *         "daysUntilFull": 1
         *       }
         *     }
         */
        StorageUse: {
            forecast: {
                /** @description What they add on a day now. */
                bytesPerDay: number;
                /** @description Cameras that take images: not paused, retired or revoked. */
                cameraCount: number;
                /** @description Whole days until the limit is reached. Null: not by these cameras. */
                daysUntilFull: number | null;
                /** @description What these cameras need when they have run for as long as their images are kept. */
                neededBytes: number;
            };
            kinds: {
                /** @description The files of the branding. */
                brandingBytes: number;
                /** @description The newest versions of documents. */
                documentBytes: number;
                /** @description The images of cameras, with those that wait for a review. */
                imageBytes: number;
                /** @description The other versions of documents. */
                olderVersionBytes: number;
                /** @description Deleted documents and locations that can still be restored. */
                trashBytes: number;
            };
            limitBytes: number;
            /** @description Bytes of uploads that have not ended yet. */
            reservedBytes: number;
            /** @description The sum of all kinds except the trash, which is not counted. */
            usedBytes: number;
        };
        /**
         * @example {
         *       "text": "The bearing at the east pier was replaced.",
         *       "resultType": "Document",
         *       "resultId": "document:0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10"
         *     }
         */
        Suggestion: {
            resultId: string | null;
            /**
             * @description Type of the resource that the suggestion names; null when it completes a word.
             * @enum {string|null}
             */
            resultType: "Document" | "DocumentContent" | "Location" | "Cluster" | "SpatialMetadata" | null;
            text: string;
        };
        /**
         * @example {
         *       "suggestions": [
         *         {
         *           "text": "The bearing at the east pier was replaced.",
         *           "resultType": "Document",
         *           "resultId": "document:0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10"
         *         }
         *       ]
         *     }
         */
        SuggestionList: {
            suggestions: components["schemas"]["Suggestion"][];
        };
        /**
         * @example {
         *       "term": "bridge \"bearing replacement\" -draft",
         *       "scope": {
         *         "includeShared": true
         *       }
         *     }
         */
        SuggestionsRequest: {
            scope?: components["schemas"]["SearchScope"];
            /**
             * @description Words, `"a phrase"`, `-word`, `word*`. Every text is a valid query.
             * @example bridge "bearing replacement" -draft
             */
            term: string;
        };
        /**
         * @example {
         *       "startUtc": "2026-11-20T09:30:00.000Z",
         *       "endUtc": "2026-11-20T09:30:00.000Z",
         *       "cause": "paused"
         *     }
         */
        TimelineGap: {
            /** @enum {string} */
            cause: "paused" | "outside-window" | "offline" | "camera-fault" | "unknown";
            /**
             * Format: date-time
             * @example 2026-11-20T09:30:00.000Z
             */
            endUtc: string;
            /**
             * Format: date-time
             * @example 2026-11-20T09:30:00.000Z
             */
            startUtc: string;
        };
        /**
         * @example {
         *       "captureId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *       "capturedAtUtc": "2026-11-20T09:30:00.000Z",
         *       "width": 1920,
         *       "height": 1080,
         *       "jpegBase64": "/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAAEBAQ=="
         *     }
         */
        TimelinePreview: {
            /**
             * Format: date-time
             * @example 2026-11-20T09:30:00.000Z
             */
            capturedAtUtc: string;
            /**
             * Format: uuid
             * @example 0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10
             */
            captureId: string;
            height: number;
            jpegBase64: string;
            width: number;
        };
        /**
         * @example {
         *       "samples": [
         *         {
         *           "at": "2026-11-20T09:30:00.000Z",
         *           "captureId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10"
         *         }
         *       ],
         *       "images": [
         *         {
         *           "captureId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *           "capturedAtUtc": "2026-11-20T09:30:00.000Z",
         *           "width": 1920,
         *           "height": 1080,
         *           "jpegBase64": "/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAAEBAQ=="
         *         }
         *       ]
         *     }
         */
        TimelinePreviewList: {
            images: components["schemas"]["TimelinePreview"][];
            samples: {
                /**
                 * Format: date-time
                 * @example 2026-11-20T09:30:00.000Z
                 */
                at: string;
                /**
                 * Format: uuid
                 * @example 0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10
                 */
                captureId: string | null;
            }[];
        };
        /**
         * @example {
         *       "times": [
         *         "2026-11-20T09:30:00.000Z"
         *       ]
         *     }
         */
        TimelinePreviewsRequest: {
            times: string[];
        };
        /**
         * @example {
         *       "kind": "document",
         *       "id": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *       "name": "North yard",
         *       "organizationId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *       "clusterId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *       "locationId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *       "deletedAtUtc": "2026-11-20T09:30:00.000Z",
         *       "purgeAtUtc": "2026-11-20T09:30:00.000Z"
         *     }
         */
        TrashItem: {
            /**
             * Format: uuid
             * @example 0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10
             */
            clusterId: string;
            /**
             * Format: date-time
             * @example 2026-11-20T09:30:00.000Z
             */
            deletedAtUtc: string;
            /**
             * Format: uuid
             * @description The id of the deleted resource.
             * @example 0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10
             */
            id: string;
            /** @enum {string} */
            kind: "document" | "location" | "cluster";
            /**
             * Format: uuid
             * @example 0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10
             */
            locationId: string | null;
            /** @description The name of the resource. For a document: its path and file name. */
            name: string;
            /**
             * Format: uuid
             * @example 0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10
             */
            organizationId: string | null;
            /**
             * Format: date-time
             * @description You can restore it until this time.
             * @example 2026-11-20T09:30:00.000Z
             */
            purgeAtUtc: string;
        };
        /**
         * @example {
         *       "items": [
         *         {
         *           "kind": "document",
         *           "id": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *           "name": "North yard",
         *           "organizationId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *           "clusterId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *           "locationId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *           "deletedAtUtc": "2026-11-20T09:30:00.000Z",
         *           "purgeAtUtc": "2026-11-20T09:30:00.000Z"
         *         }
         *       ],
         *       "nextCursor": "text"
         *     }
         */
        TrashItemList: {
            items: components["schemas"]["TrashItem"][];
            /** @description Send this as `cursor` to get the next page. Null on the last page. */
            nextCursor: string | null;
        };
        /**
         * @example {
         *       "unreadCount": 1
         *     }
         */
        UnreadCount: {
            unreadCount: number;
        };
        /**
         * @example {
         *       "id": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *       "email": "ada@example.org",
         *       "emailVerified": false,
         *       "displayName": "Ada Lovelace",
         *       "isAdmin": false,
         *       "createdAtUtc": "2026-11-20T09:30:00.000Z"
         *     }
         */
        User: {
            /**
             * Format: date-time
             * @example 2026-11-20T09:30:00.000Z
             */
            createdAtUtc: string;
            displayName: string;
            email: string;
            emailVerified: boolean;
            /**
             * Format: uuid
             * @example 0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10
             */
            id: string;
            /** @description Whether the user is a platform administrator. */
            isAdmin: boolean;
        };
        /**
         * @example {
         *       "items": [
         *         {
         *           "id": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *           "organizationId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *           "clusterId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *           "locationId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *           "templateId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *           "templateKey": "inspection",
         *           "templateName": "text",
         *           "locationName": "East pier",
         *           "title": "Inspection of the east pier",
         *           "latestPdf": {
         *             "documentId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *             "version": 1,
         *             "jobId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *             "generatedAtUtc": "2026-11-20T09:30:00.000Z"
         *           },
         *           "createdBy": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *           "createdByName": "text",
         *           "revision": 1,
         *           "createdAtUtc": "2026-11-20T09:30:00.000Z",
         *           "updatedAtUtc": "2026-11-20T09:30:00.000Z"
         *         }
         *       ],
         *       "nextCursor": "text"
         *     }
         */
        VisibleReportList: {
            items: components["schemas"]["ReportSummary"][];
            /** @description Send this as `cursor` to get the next page. Null on the last page. */
            nextCursor: string | null;
        };
        /**
         * @example {
         *       "id": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *       "organizationId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *       "locationId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *       "name": "North gate",
         *       "description": "On the mast beside the north gate.",
         *       "isPaused": true,
         *       "captureIntervalMinutes": 15,
         *       "retentionDays": 90,
         *       "captureWidth": 2560,
         *       "captureHeight": 1440,
         *       "jpegQuality": 85,
         *       "timeZone": "Europe/Oslo",
         *       "captureWindow": {
         *         "start": "07:00",
         *         "end": "19:00",
         *         "daysOfWeek": [
         *           1,
         *           2,
         *           3,
         *           4,
         *           5
         *         ]
         *       },
         *       "status": "active",
         *       "pairing": "none",
         *       "assignmentGeneration": 1,
         *       "configurationPending": false,
         *       "silence": {
         *         "cause": "offline",
         *         "sinceUtc": "2026-11-20T09:30:00.000Z"
         *       },
         *       "lastSeenAtUtc": "2026-11-20T09:30:00.000Z",
         *       "lastCaptureAtUtc": "2026-11-20T09:30:00.000Z",
         *       "device": {
         *         "appliedRevision": 1,
         *         "lastCaptureAtUtc": "2026-11-20T09:30:00.000Z",
         *         "queueCount": 1,
         *         "queueBytes": 1,
         *         "freeBytes": 12884901888,
         *         "oldestPendingAtUtc": "2026-11-20T09:30:00.000Z",
         *         "errorCode": "text"
         *       },
         *       "identicalFrames": 1,
         *       "revision": 1,
         *       "createdAtUtc": "2026-11-20T09:30:00.000Z",
         *       "updatedAtUtc": "2026-11-20T09:30:00.000Z",
         *       "locationName": "East pier",
         *       "lastDay": {
         *         "fromUtc": "2026-11-20T09:30:00.000Z",
         *         "toUtc": "2026-11-20T09:30:00.000Z",
         *         "gaps": [
         *           {
         *             "startUtc": "2026-11-20T09:30:00.000Z",
         *             "endUtc": "2026-11-20T09:30:00.000Z",
         *             "cause": "paused"
         *           }
         *         ]
         *       }
         *     }
         */
        WallCamera: components["schemas"]["Camera"] & {
            /** @description The last 24 hours. A gap lasts at least three intervals and half an hour. */
            lastDay: {
                /**
                 * Format: date-time
                 * @example 2026-11-20T09:30:00.000Z
                 */
                fromUtc: string;
                gaps: components["schemas"]["TimelineGap"][];
                /**
                 * Format: date-time
                 * @example 2026-11-20T09:30:00.000Z
                 */
                toUtc: string;
            };
            locationName: string;
        };
        /**
         * @example {
         *       "items": [
         *         {
         *           "id": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *           "organizationId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *           "locationId": "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10",
         *           "name": "North gate",
         *           "description": "On the mast beside the north gate.",
         *           "isPaused": true,
         *           "captureIntervalMinutes": 15,
         *           "retentionDays": 90,
         *           "captureWidth": 2560,
         *           "captureHeight": 1440,
         *           "jpegQuality": 85,
         *           "timeZone": "Europe/Oslo",
         *           "captureWindow": {
         *             "start": "07:00",
         *             "end": "19:00",
         *             "daysOfWeek": [
         *               1,
         *               2,
         *               3,
         *               4,
         *               5
         *             ]
         *           },
         *           "status": "active",
         *           "pairing": "none",
         *           "assignmentGeneration": 1,
         *           "configurationPending": false,
         *           "silence": {
         *             "cause": "offline",
         *             "sinceUtc": "2026-11-20T09:30:00.000Z"
         *           },
         *           "lastSeenAtUtc": "2026-11-20T09:30:00.000Z",
         *           "lastCaptureAtUtc": "2026-11-20T09:30:00.000Z",
         *           "device": {
         *             "appliedRevision": 1,
         *             "lastCaptureAtUtc": "2026-11-20T09:30:00.000Z",
         *             "queueCount": 1,
         *             "queueBytes": 1,
         *             "freeBytes": 12884901888,
         *             "oldestPendingAtUtc": "2026-11-20T09:30:00.000Z",
         *             "errorCode": "text"
         *           },
         *           "identicalFrames": 1,
         *           "revision": 1,
         *           "createdAtUtc": "2026-11-20T09:30:00.000Z",
         *           "updatedAtUtc": "2026-11-20T09:30:00.000Z",
         *           "locationName": "East pier",
         *           "lastDay": {
         *             "fromUtc": "2026-11-20T09:30:00.000Z",
         *             "toUtc": "2026-11-20T09:30:00.000Z",
         *             "gaps": [
         *               {
         *                 "startUtc": "2026-11-20T09:30:00.000Z",
         *                 "endUtc": "2026-11-20T09:30:00.000Z",
         *                 "cause": "paused"
         *               }
         *             ]
         *           }
         *         }
         *       ],
         *       "nextCursor": "text"
         *     }
         */
        WallCameraList: {
            items: components["schemas"]["WallCamera"][];
            /** @description Send this as `cursor` to get the next page. Null on the last page. */
            nextCursor: string | null;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type AcceptedInvitation = components['schemas']['AcceptedInvitation'];
export type AdministeredJob = components['schemas']['AdministeredJob'];
export type AdministeredJobList = components['schemas']['AdministeredJobList'];
export type AdministeredOrganization = components['schemas']['AdministeredOrganization'];
export type AdministeredOrganizationList = components['schemas']['AdministeredOrganizationList'];
export type Annotation = components['schemas']['Annotation'];
export type AnnotationCreate = components['schemas']['AnnotationCreate'];
export type AnnotationList = components['schemas']['AnnotationList'];
export type AnnotationUpdate = components['schemas']['AnnotationUpdate'];
export type AuditEntry = components['schemas']['AuditEntry'];
export type AuditEntryList = components['schemas']['AuditEntryList'];
export type Branding = components['schemas']['Branding'];
export type BrandingAsset = components['schemas']['BrandingAsset'];
export type BrandingUpdate = components['schemas']['BrandingUpdate'];
export type BrandingUpload = components['schemas']['BrandingUpload'];
export type BrandingUploadComplete = components['schemas']['BrandingUploadComplete'];
export type BrandingUploadCreate = components['schemas']['BrandingUploadCreate'];
export type BrandingUploadResult = components['schemas']['BrandingUploadResult'];
export type Camera = components['schemas']['Camera'];
export type CameraCleanup = components['schemas']['CameraCleanup'];
export type CameraCleanupList = components['schemas']['CameraCleanupList'];
export type CameraConfiguration = components['schemas']['CameraConfiguration'];
export type CameraCreate = components['schemas']['CameraCreate'];
export type CameraCredential = components['schemas']['CameraCredential'];
export type CameraDevice = components['schemas']['CameraDevice'];
export type CameraEnrollment = components['schemas']['CameraEnrollment'];
export type CameraEnrollmentRedeem = components['schemas']['CameraEnrollmentRedeem'];
export type CameraExport = components['schemas']['CameraExport'];
export type CameraExportCreate = components['schemas']['CameraExportCreate'];
export type CameraFrame = components['schemas']['CameraFrame'];
export type CameraFrameList = components['schemas']['CameraFrameList'];
export type CameraHeartbeat = components['schemas']['CameraHeartbeat'];
export type CameraHeartbeatResponse = components['schemas']['CameraHeartbeatResponse'];
export type CameraOutage = components['schemas']['CameraOutage'];
export type CameraRelink = components['schemas']['CameraRelink'];
export type CameraShare = components['schemas']['CameraShare'];
export type CameraShareCreate = components['schemas']['CameraShareCreate'];
export type CameraShareList = components['schemas']['CameraShareList'];
export type CameraShareRevoke = components['schemas']['CameraShareRevoke'];
export type CameraShareUpdate = components['schemas']['CameraShareUpdate'];
export type CameraTimeline = components['schemas']['CameraTimeline'];
export type CameraUpdate = components['schemas']['CameraUpdate'];
export type Capabilities = components['schemas']['Capabilities'];
export type Capture = components['schemas']['Capture'];
export type CaptureList = components['schemas']['CaptureList'];
export type CaptureOperation = components['schemas']['CaptureOperation'];
export type CaptureOperationCreate = components['schemas']['CaptureOperationCreate'];
export type CaptureOperationList = components['schemas']['CaptureOperationList'];
export type CaptureReceipt = components['schemas']['CaptureReceipt'];
export type CaptureRejection = components['schemas']['CaptureRejection'];
export type CaptureSeekResult = components['schemas']['CaptureSeekResult'];
export type CaptureTimes = components['schemas']['CaptureTimes'];
export type CaptureWindow = components['schemas']['CaptureWindow'];
export type ChatSummary = components['schemas']['ChatSummary'];
export type Cluster = components['schemas']['Cluster'];
export type ClusterCreate = components['schemas']['ClusterCreate'];
export type ClusterList = components['schemas']['ClusterList'];
export type ClusterUpdate = components['schemas']['ClusterUpdate'];
export type CreatedCameraShare = components['schemas']['CreatedCameraShare'];
export type CreatedInvitation = components['schemas']['CreatedInvitation'];
export type CreatedPersonalAccessToken = components['schemas']['CreatedPersonalAccessToken'];
export type CurrentCamera = components['schemas']['CurrentCamera'];
export type DayStrip = components['schemas']['DayStrip'];
export type DayStripDay = components['schemas']['DayStripDay'];
export type DayStripRequest = components['schemas']['DayStripRequest'];
export type Document = components['schemas']['Document'];
export type DocumentList = components['schemas']['DocumentList'];
export type DocumentUpdate = components['schemas']['DocumentUpdate'];
export type DocumentUpload = components['schemas']['DocumentUpload'];
export type DocumentUploadComplete = components['schemas']['DocumentUploadComplete'];
export type DocumentUploadCreate = components['schemas']['DocumentUploadCreate'];
export type DocumentVersion = components['schemas']['DocumentVersion'];
export type DocumentVersionList = components['schemas']['DocumentVersionList'];
export type DownloadLink = components['schemas']['DownloadLink'];
export type Entitlements = components['schemas']['Entitlements'];
export type EntitlementsUpdate = components['schemas']['EntitlementsUpdate'];
export type Grant = components['schemas']['Grant'];
export type GrantCreate = components['schemas']['GrantCreate'];
export type GrantList = components['schemas']['GrantList'];
export type GrantUpdate = components['schemas']['GrantUpdate'];
export type HealthStatus = components['schemas']['HealthStatus'];
export type HeldCapture = components['schemas']['HeldCapture'];
export type HeldCaptureList = components['schemas']['HeldCaptureList'];
export type HistoricalCamera = components['schemas']['HistoricalCamera'];
export type IndexStatus = components['schemas']['IndexStatus'];
export type IndexTask = components['schemas']['IndexTask'];
export type Invitation = components['schemas']['Invitation'];
export type InvitationList = components['schemas']['InvitationList'];
export type InvitationPreview = components['schemas']['InvitationPreview'];
export type InvitationToken = components['schemas']['InvitationToken'];
export type JobLane = components['schemas']['JobLane'];
export type JobLanes = components['schemas']['JobLanes'];
export type LatestPreview = components['schemas']['LatestPreview'];
export type LatestPreviewList = components['schemas']['LatestPreviewList'];
export type LatestPreviewsRequest = components['schemas']['LatestPreviewsRequest'];
export type Levels = components['schemas']['Levels'];
export type Location = components['schemas']['Location'];
export type LocationCamera = components['schemas']['LocationCamera'];
export type LocationCameraList = components['schemas']['LocationCameraList'];
export type LocationCreate = components['schemas']['LocationCreate'];
export type LocationList = components['schemas']['LocationList'];
export type LocationUpdate = components['schemas']['LocationUpdate'];
export type Login = components['schemas']['Login'];
export type MarkNotificationsRead = components['schemas']['MarkNotificationsRead'];
export type Member = components['schemas']['Member'];
export type MemberCreate = components['schemas']['MemberCreate'];
export type MemberCreateResult = components['schemas']['MemberCreateResult'];
export type MemberList = components['schemas']['MemberList'];
export type Membership = components['schemas']['Membership'];
export type MemberUpdate = components['schemas']['MemberUpdate'];
export type NotificationBootstrap = components['schemas']['NotificationBootstrap'];
export type NotificationDto = components['schemas']['NotificationDto'];
export type NotificationList = components['schemas']['NotificationList'];
export type NotificationOrigin = components['schemas']['NotificationOrigin'];
export type NotificationPreferences = components['schemas']['NotificationPreferences'];
export type NotificationPreferencesUpdate = components['schemas']['NotificationPreferencesUpdate'];
export type Organization = components['schemas']['Organization'];
export type OrganizationCreate = components['schemas']['OrganizationCreate'];
export type OrganizationList = components['schemas']['OrganizationList'];
export type OrganizationUpdate = components['schemas']['OrganizationUpdate'];
export type PageWords = components['schemas']['PageWords'];
export type Passage = components['schemas']['Passage'];
export type PassageList = components['schemas']['PassageList'];
export type PasswordReset = components['schemas']['PasswordReset'];
export type PasswordResetRequest = components['schemas']['PasswordResetRequest'];
export type PendingCapture = components['schemas']['PendingCapture'];
export type PendingCaptureList = components['schemas']['PendingCaptureList'];
export type PersonalAccessToken = components['schemas']['PersonalAccessToken'];
export type PersonalAccessTokenCreate = components['schemas']['PersonalAccessTokenCreate'];
export type PersonalAccessTokenList = components['schemas']['PersonalAccessTokenList'];
export type PersonalAccessTokenUpdate = components['schemas']['PersonalAccessTokenUpdate'];
export type Problem = components['schemas']['Problem'];
export type Profile = components['schemas']['Profile'];
export type ProfileUpdate = components['schemas']['ProfileUpdate'];
export type RefreshRequest = components['schemas']['RefreshRequest'];
export type Registration = components['schemas']['Registration'];
export type RejectedCapture = components['schemas']['RejectedCapture'];
export type RejectedCaptureList = components['schemas']['RejectedCaptureList'];
export type Report = components['schemas']['Report'];
export type ReportCollaboration = components['schemas']['ReportCollaboration'];
export type ReportCreate = components['schemas']['ReportCreate'];
export type ReportJob = components['schemas']['ReportJob'];
export type ReportJobReference = components['schemas']['ReportJobReference'];
export type ReportPdf = components['schemas']['ReportPdf'];
export type ReportSummary = components['schemas']['ReportSummary'];
export type ReportSummaryList = components['schemas']['ReportSummaryList'];
export type ReportTemplate = components['schemas']['ReportTemplate'];
export type ReportTemplateCreate = components['schemas']['ReportTemplateCreate'];
export type ReportTemplatePreview = components['schemas']['ReportTemplatePreview'];
export type ReportTemplateSummary = components['schemas']['ReportTemplateSummary'];
export type ReportTemplateSummaryList = components['schemas']['ReportTemplateSummaryList'];
export type ReportTemplateUpdate = components['schemas']['ReportTemplateUpdate'];
export type ReportUpdate = components['schemas']['ReportUpdate'];
export type RerunJobs = components['schemas']['RerunJobs'];
export type RerunJobsRequest = components['schemas']['RerunJobsRequest'];
export type SearchInsights = components['schemas']['SearchInsights'];
export type SearchInteraction = components['schemas']['SearchInteraction'];
export type SearchInteractionResult = components['schemas']['SearchInteractionResult'];
export type SearchPassage = components['schemas']['SearchPassage'];
export type SearchQueryStatistics = components['schemas']['SearchQueryStatistics'];
export type SearchRequest = components['schemas']['SearchRequest'];
export type SearchResponse = components['schemas']['SearchResponse'];
export type SearchResult = components['schemas']['SearchResult'];
export type SearchScope = components['schemas']['SearchScope'];
export type Session = components['schemas']['Session'];
export type SessionList = components['schemas']['SessionList'];
export type SessionTokens = components['schemas']['SessionTokens'];
export type SharedBrand = components['schemas']['SharedBrand'];
export type SharedCameraList = components['schemas']['SharedCameraList'];
export type SharedCamerasPass = components['schemas']['SharedCamerasPass'];
export type SharedCamerasUnlock = components['schemas']['SharedCamerasUnlock'];
export type SharedCameraTimeline = components['schemas']['SharedCameraTimeline'];
export type SharedCapture = components['schemas']['SharedCapture'];
export type SharedCaptureSeekResult = components['schemas']['SharedCaptureSeekResult'];
export type SharedFrame = components['schemas']['SharedFrame'];
export type SharedFrameList = components['schemas']['SharedFrameList'];
export type SharedLatestPreview = components['schemas']['SharedLatestPreview'];
export type SharedLatestPreviewList = components['schemas']['SharedLatestPreviewList'];
export type SignOutRequest = components['schemas']['SignOutRequest'];
export type StorageUse = components['schemas']['StorageUse'];
export type Suggestion = components['schemas']['Suggestion'];
export type SuggestionList = components['schemas']['SuggestionList'];
export type SuggestionsRequest = components['schemas']['SuggestionsRequest'];
export type TimelineGap = components['schemas']['TimelineGap'];
export type TimelinePreview = components['schemas']['TimelinePreview'];
export type TimelinePreviewList = components['schemas']['TimelinePreviewList'];
export type TimelinePreviewsRequest = components['schemas']['TimelinePreviewsRequest'];
export type TrashItem = components['schemas']['TrashItem'];
export type TrashItemList = components['schemas']['TrashItemList'];
export type UnreadCount = components['schemas']['UnreadCount'];
export type User = components['schemas']['User'];
export type VisibleReportList = components['schemas']['VisibleReportList'];
export type WallCamera = components['schemas']['WallCamera'];
export type WallCameraList = components['schemas']['WallCameraList'];
export type $defs = Record<string, never>;
export interface operations {
    getLiveness: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The service runs. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HealthStatus"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getReadiness: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The service can answer requests. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HealthStatus"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listJobs: {
        parameters: {
            query?: {
                cursor?: string;
                kind?: "verify-upload" | "verify-capture" | "extract-document" | "recognize-document" | "resume-recognition" | "derive-images" | "print-report" | "index-document" | "index-asset" | "index-shared" | "backfill-documents" | "backfill-assets" | "end-report-rooms" | "expire-searches" | "merge-index" | "delete-tree" | "empty-trash" | "announce" | "expire-notifications" | "purge-objects" | "expire-uploads" | "expire-captures" | "clean-frames" | "clear-staging" | "expire-credentials" | "copy-person" | "verify-address" | "settle-invitation" | "mail-password-reset" | "watch-cameras" | "expire-sharing" | "expire-camera-shares" | "prepare-export" | "expire-exports" | "expire-requests";
                lane?: "live" | "light" | "extraction" | "verification" | "printing" | "recognition";
                limit?: number;
                /** @description `failed`: the newest failure comes first. `open`: the jobs that wait or run, the first due one first. */
                state?: "failed" | "open";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of jobs */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AdministeredJobList"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    rerunJobs: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RerunJobsRequest"];
            };
        };
        responses: {
            /** @description The number of jobs */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RerunJobs"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listAllOrganizations: {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
                /** @description A part of the name, or an id. Upper and lower case and accents do not matter. */
                search?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of organizations */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AdministeredOrganizationList"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getQueues: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The lanes */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JobLanes"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getAnnotation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                annotationId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The annotation */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Annotation"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    deleteAnnotation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                annotationId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. The answer has no body. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    updateAnnotation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                annotationId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AnnotationUpdate"];
            };
        };
        responses: {
            /** @description The annotation */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Annotation"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    signIn: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Login"];
            };
        };
        responses: {
            /** @description A new session */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionTokens"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    signOut: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["SignOutRequest"];
            };
        };
        responses: {
            /** @description Done. The answer has no body. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getProfile: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The profile */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Profile"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    updateProfile: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ProfileUpdate"];
            };
        };
        responses: {
            /** @description The profile after the change */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Profile"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    requestPasswordReset: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PasswordResetRequest"];
            };
        };
        responses: {
            /** @description The request was accepted. No body. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    completePasswordReset: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PasswordReset"];
            };
        };
        responses: {
            /** @description Done. The answer has no body. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    refreshSession: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RefreshRequest"];
            };
        };
        responses: {
            /** @description The new pair */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionTokens"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    registerUser: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Registration"];
            };
        };
        responses: {
            /** @description The new user with a session */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionTokens"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listSessions: {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Live sessions, newest first */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionList"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    deleteSession: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                sessionId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. The answer has no body. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listPersonalAccessTokens: {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Tokens, newest first */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PersonalAccessTokenList"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    createPersonalAccessToken: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PersonalAccessTokenCreate"];
            };
        };
        responses: {
            /** @description The token with its secret */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreatedPersonalAccessToken"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getPersonalAccessToken: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                tokenId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The token */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PersonalAccessToken"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    deletePersonalAccessToken: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                tokenId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. The answer has no body. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    updatePersonalAccessToken: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                tokenId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PersonalAccessTokenUpdate"];
            };
        };
        responses: {
            /** @description The token after the change */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PersonalAccessToken"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    deleteCapture: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                captureId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. The answer has no body. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getCaptureDownload: {
        parameters: {
            query?: {
                thumbnail?: string;
            };
            header?: never;
            path: {
                captureId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The address, for callers that accept JSON first */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DownloadLink"];
                };
            };
            /** @description A redirect to the address */
            302: {
                headers: {
                    location: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    downloadCameraExport: {
        parameters: {
            query: {
                ticket: string;
            };
            header?: never;
            path: {
                operationId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The ZIP */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/zip": string;
                };
            };
            /** @description The requested range */
            206: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The client's copy is up to date */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The range begins after the end of the ZIP */
            416: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getCameraConfiguration: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The configuration. Its ETag also changes with the coordinates */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CameraConfiguration"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    redeemCameraEnrollment: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CameraEnrollmentRedeem"];
            };
        };
        responses: {
            /** @description The device is paired. Its credential is `svccam1.<credentialId without hyphens>.<credentialSecret>` */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CameraCredential"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    sendHeartbeat: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CameraHeartbeat"];
            };
        };
        responses: {
            /** @description The present revision */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CameraHeartbeatResponse"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listCaptureOperations: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Newest first */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CaptureOperationList"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    startCapture: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CaptureOperationCreate"];
            };
        };
        responses: {
            /** @description The operation that was started for this captureId before, in any state */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CaptureOperation"];
                };
            };
            /** @description A new operation, with the address for the bytes */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CaptureOperation"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getCaptureOperation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                operationId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The operation, with a receipt when it is completed */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CaptureOperation"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    cancelCaptureOperation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                operationId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The ended operation: cancelled, or expired before */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CaptureOperation"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    completeCapture: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                operationId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The operation is finished: completed with a receipt, or rejected */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CaptureOperation"];
                };
            };
            /** @description The bytes are being verified: poll `statusUrl` */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CaptureOperation"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    renewCaptureUploadUrl: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                operationId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The operation, with a new upload address */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CaptureOperation"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    updateCameraShare: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CameraShareUpdate"];
            };
        };
        responses: {
            /** @description The link */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CameraShare"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    revokeCameraShare: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CameraShareRevoke"];
            };
        };
        responses: {
            /** @description The link */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CameraShare"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listWallCameras: {
        parameters: {
            query?: {
                cursor?: string;
                /** @description Whether the list contains resources that only a grant gives you access to. */
                includeShared?: boolean;
                limit?: number;
                /** @description Lists only cameras of this location. */
                locationId?: string;
                /** @description Lists only resources of this organization, or of personal workspaces. */
                organizationId?: string | "personal";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of cameras */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WallCameraList"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getCamera: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                cameraId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The camera */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Camera"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    updateCamera: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                cameraId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CameraUpdate"];
            };
        };
        responses: {
            /** @description The camera */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Camera"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listCaptures: {
        parameters: {
            query: {
                /** @description `capturedAtUtc` of the last item of the previous page. */
                before?: string;
                /** @description `id` of that item. */
                beforeId?: string;
                limit?: number;
                locationId: string;
            };
            header?: never;
            path: {
                cameraId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CaptureList"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    seekCapture: {
        parameters: {
            query: {
                at: string;
                /** @description Required with `older` and `newer`: the capture at `at` from which to step. */
                captureId?: string;
                direction?: "nearest" | "older" | "newer";
                locationId: string;
            };
            header?: never;
            path: {
                cameraId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The capture, or null when there is none in this direction */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CaptureSeekResult"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listCaptureTimes: {
        parameters: {
            query: {
                fromUtc?: string;
                locationId: string;
                toUtc?: string;
            };
            header?: never;
            path: {
                cameraId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The newest times of the range, in order */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CaptureTimes"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getDayStrip: {
        parameters: {
            query: {
                locationId: string;
            };
            header?: never;
            path: {
                cameraId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DayStripRequest"];
            };
        };
        responses: {
            /** @description The days, each with its capture or null */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DayStrip"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    createCameraEnrollment: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                cameraId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The code. No other response contains it */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CameraEnrollment"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    createCameraExport: {
        parameters: {
            query: {
                locationId: string;
            };
            header?: never;
            path: {
                cameraId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["CameraExportCreate"];
            };
        };
        responses: {
            /** @description The operation. Request it again until it is ready */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CameraExport"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getCameraExport: {
        parameters: {
            query: {
                locationId: string;
            };
            header?: never;
            path: {
                cameraId: string;
                operationId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The operation, with a download address when it is ready */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CameraExport"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getLatestCameraExport: {
        parameters: {
            query: {
                locationId: string;
            };
            header?: never;
            path: {
                cameraId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The operation */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CameraExport"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listCameraFrames: {
        parameters: {
            query: {
                count: number;
                fromUtc?: string;
                locationId: string;
                toUtc?: string;
            };
            header?: never;
            path: {
                cameraId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The frames in order of time, with addresses of their thumbnails */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CameraFrameList"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listHeldCaptures: {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
                /** @description Location where the images were taken. Default: the camera's present location. */
                locationId?: string;
            };
            header?: never;
            path: {
                cameraId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of held images, newest first */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HeldCaptureList"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    retryHeldCapture: {
        parameters: {
            query?: {
                /** @description Location where the images were taken. Default: the camera's present location. */
                locationId?: string;
            };
            header?: never;
            path: {
                cameraId: string;
                operationId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The image is being verified; no body. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listTimelinePreviews: {
        parameters: {
            query: {
                locationId: string;
            };
            header?: never;
            path: {
                cameraId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TimelinePreviewsRequest"];
            };
        };
        responses: {
            /** @description A sample for each time, and each distinct capture once */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TimelinePreviewList"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listRejectedCaptures: {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
                /** @description Location where the images were taken. Default: the camera's present location. */
                locationId?: string;
            };
            header?: never;
            path: {
                cameraId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of rejected images, newest first */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RejectedCaptureList"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getRejectedCaptureDownload: {
        parameters: {
            query?: {
                /** @description Location where the images were taken. Default: the camera's present location. */
                locationId?: string;
            };
            header?: never;
            path: {
                cameraId: string;
                operationId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The address, for callers that accept JSON first */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DownloadLink"];
                };
            };
            /** @description A redirect to the address */
            302: {
                headers: {
                    location: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    relinkCamera: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                cameraId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CameraRelink"];
            };
        };
        responses: {
            /** @description The camera at its new location */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Camera"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    retireCamera: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                cameraId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The camera */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Camera"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    revokeCamera: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                cameraId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The camera */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Camera"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getCameraTimeline: {
        parameters: {
            query: {
                fromUtc?: string;
                locationId: string;
                toUtc?: string;
            };
            header?: never;
            path: {
                cameraId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The timeline, at most thirty seconds old */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CameraTimeline"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listPendingCaptures: {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
                /** @description Location where the images were taken. Default: the camera's present location. */
                locationId?: string;
            };
            header?: never;
            path: {
                cameraId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of uploads, newest first */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PendingCaptureList"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    cancelPendingCapture: {
        parameters: {
            query?: {
                /** @description Location where the images were taken. Default: the camera's present location. */
                locationId?: string;
            };
            header?: never;
            path: {
                cameraId: string;
                operationId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. The answer has no body. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getChatSummary: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The counts; null while unavailable or stale */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChatSummary"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getDocument: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                documentId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The document */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Document"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    deleteDocument: {
        parameters: {
            query?: {
                /** @description Removes the resource immediately and permanently, also from the trash. Only owners may. */
                purge?: boolean;
            };
            header?: never;
            path: {
                documentId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. The answer has no body. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    updateDocument: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                documentId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DocumentUpdate"];
            };
        };
        responses: {
            /** @description The document */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Document"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getDocumentDownload: {
        parameters: {
            query?: {
                linkType?: "file" | "small" | "medium";
                version?: number;
            };
            header?: never;
            path: {
                documentId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The address, for clients that prefer JSON */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DownloadLink"];
                };
            };
            /** @description A redirect to the address */
            302: {
                headers: {
                    location: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listDocumentGrants: {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
            };
            header?: never;
            path: {
                documentId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of grants */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GrantList"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    createDocumentGrant: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                documentId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["GrantCreate"];
            };
        };
        responses: {
            /** @description The grant */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Grant"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getDocumentGrant: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                documentId: string;
                grantId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The grant */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Grant"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    deleteDocumentGrant: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                documentId: string;
                grantId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. The answer has no body. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    updateDocumentGrant: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                documentId: string;
                grantId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["GrantUpdate"];
            };
        };
        responses: {
            /** @description The grant */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Grant"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getPageWords: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                documentId: string;
                page: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The words in reading order */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PageWords"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listPassages: {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
                page?: number;
            };
            header?: never;
            path: {
                documentId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of passages */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PassageList"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    restoreDocument: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                documentId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The document */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Document"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listDocumentVersions: {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
            };
            header?: never;
            path: {
                documentId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of versions */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DocumentVersionList"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    acceptInvitation: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["InvitationToken"];
            };
        };
        responses: {
            /** @description Your organization and role */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AcceptedInvitation"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    previewInvitation: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["InvitationToken"];
            };
        };
        responses: {
            /** @description The address, the organization and the role of the invitation */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InvitationPreview"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listNotifications: {
        parameters: {
            query?: {
                /** @description `nextCursor` of the previous page. Unlike `offset`, it skips nothing when notifications are read or arrive meanwhile. */
                cursor?: string;
                limit?: number;
                offset?: number;
                sinceSeq?: number;
                unreadOnly?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of the visible notifications */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NotificationList"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    markNotificationRead: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                notificationId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The count now */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UnreadCount"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getNotificationBootstrap: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The path of the hub and the unread count */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NotificationBootstrap"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getNotificationPreferences: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The preferences */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NotificationPreferences"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    updateNotificationPreferences: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NotificationPreferencesUpdate"];
            };
        };
        responses: {
            /** @description The preferences now */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NotificationPreferences"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    markNotificationsRead: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MarkNotificationsRead"];
            };
        };
        responses: {
            /** @description The count now */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UnreadCount"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getUnreadCount: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The count */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UnreadCount"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listOrganizations: {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of organizations */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OrganizationList"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    createOrganization: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["OrganizationCreate"];
            };
        };
        responses: {
            /** @description The organization */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Organization"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getOrganization: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                organizationId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The organization */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Organization"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    deleteOrganization: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                organizationId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. The answer has no body. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    updateOrganization: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                organizationId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["OrganizationUpdate"];
            };
        };
        responses: {
            /** @description The organization */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Organization"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listAuditEntries: {
        parameters: {
            query?: {
                action?: string;
                actorUserId?: string;
                cursor?: string;
                fromUtc?: string;
                limit?: number;
                toUtc?: string;
            };
            header?: never;
            path: {
                organizationId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of entries */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuditEntryList"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getBranding: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                organizationId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The branding */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Branding"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    updateBranding: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                organizationId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["BrandingUpdate"];
            };
        };
        responses: {
            /** @description The branding */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Branding"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getBrandingAsset: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                organizationId: string;
                slot: "logo" | "banner";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The file's properties */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BrandingAsset"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    deleteBrandingAsset: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                organizationId: string;
                slot: "logo" | "banner";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. The answer has no body. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getBrandingAssetDownload: {
        parameters: {
            query?: {
                linkType?: "file" | "small" | "medium";
            };
            header?: never;
            path: {
                organizationId: string;
                slot: "logo" | "banner";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The address, for clients that prefer JSON */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DownloadLink"];
                };
            };
            /** @description A redirect to the address */
            302: {
                headers: {
                    location: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    completeBrandingUpload: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                organizationId: string;
                slot: "logo" | "banner";
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["BrandingUploadComplete"];
            };
        };
        responses: {
            /** @description The slot's file */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BrandingUploadResult"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    startBrandingUpload: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                organizationId: string;
                slot: "logo" | "banner";
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["BrandingUploadCreate"];
            };
        };
        responses: {
            /** @description The open upload of the same file, with a new address for the bytes */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BrandingUpload"];
                };
            };
            /** @description The address for the bytes */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BrandingUpload"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    cancelBrandingUpload: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                organizationId: string;
                slot: "logo" | "banner";
                uploadId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. The answer has no body. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listCameraCleanups: {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
            };
            header?: never;
            path: {
                organizationId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of receipts */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CameraCleanupList"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getEntitlements: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                organizationId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The entitlements */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Entitlements"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    updateEntitlements: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                organizationId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["EntitlementsUpdate"];
            };
        };
        responses: {
            /** @description The entitlements */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Entitlements"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listInvitations: {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
            };
            header?: never;
            path: {
                organizationId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of invitations */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InvitationList"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    deleteInvitation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                invitationId: string;
                organizationId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. The answer has no body. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listMembers: {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
            };
            header?: never;
            path: {
                organizationId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of members */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MemberList"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    createMember: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                organizationId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MemberCreate"];
            };
        };
        responses: {
            /** @description The member, or the invitation with its link, which only this answer has */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MemberCreateResult"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getMember: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                organizationId: string;
                userId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The member */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Member"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    deleteMember: {
        parameters: {
            query?: {
                /** @description Whether the camera share links that the member made in the organization end too. */
                revokeShareLinks?: boolean;
            };
            header?: never;
            path: {
                organizationId: string;
                userId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. The answer has no body. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    updateMember: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                organizationId: string;
                userId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MemberUpdate"];
            };
        };
        responses: {
            /** @description The member */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Member"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getStorageUse: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                organizationId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The use by kind and the forecast */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StorageUse"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listVisibleReports: {
        parameters: {
            query?: {
                cursor?: string;
                /** @description Whether the list contains resources that only a grant gives you access to. */
                includeShared?: boolean;
                limit?: number;
                /** @description Lists only resources of this organization, or of personal workspaces. */
                organizationId?: string | "personal";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of reports */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["VisibleReportList"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getReport: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                reportId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The report */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Report"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    updateReport: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                reportId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ReportUpdate"];
            };
        };
        responses: {
            /** @description The report */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Report"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    deleteReport: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                reportId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. The answer has no body. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    startReportCollaboration: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                reportId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The connection data for the provider */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReportCollaboration"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    generateReportPdf: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                reportId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The job that generates the PDF */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReportJobReference"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    previewReport: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                reportId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The page */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getReportJob: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                jobId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The job */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReportJob"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    cancelReportJob: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                jobId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The cancelled job */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReportJob"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listReports: {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
            };
            header?: never;
            path: {
                locationId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of reports */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReportSummaryList"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    createReport: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                locationId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ReportCreate"];
            };
        };
        responses: {
            /** @description The report */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Report"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listReportTemplates: {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of templates */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReportTemplateSummaryList"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getReportTemplate: {
        parameters: {
            query?: {
                organizationId?: string;
            };
            header?: never;
            path: {
                /** @description The template's key. */
                template: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The template */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReportTemplate"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    updateReportTemplate: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The template's id. */
                template: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ReportTemplateUpdate"];
            };
        };
        responses: {
            /** @description The template */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReportTemplate"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    deleteReportTemplate: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The template's id. */
                template: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. The answer has no body. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    createOrganizationReportTemplate: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                organizationId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ReportTemplateCreate"];
            };
        };
        responses: {
            /** @description The template */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReportTemplate"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    previewReportTemplate: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ReportTemplatePreview"];
            };
        };
        responses: {
            /** @description The page */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    createPersonalReportTemplate: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ReportTemplateCreate"];
            };
        };
        responses: {
            /** @description The template */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReportTemplate"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    search: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SearchRequest"];
            };
        };
        responses: {
            /** @description The best results first */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SearchResponse"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    reindexAssets: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The task. Get index status to follow it. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IndexTask"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    reindexDocuments: {
        parameters: {
            query?: {
                /** @description Whether to extract the text from the file again, for example after an update of the service. Scans that were recognized keep their text. */
                readTextAgain?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The task. Get index status to follow it. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IndexTask"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    reindexDocument: {
        parameters: {
            query?: {
                /** @description Whether to extract the text from the file again, for example after an update of the service. Scans that were recognized keep their text. */
                readTextAgain?: string;
            };
            header?: never;
            path: {
                documentId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The task. Get index status to follow it. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IndexTask"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getIndexStatus: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Counts and the latest tasks */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IndexStatus"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getSearchInsights: {
        parameters: {
            query: {
                fromUtc?: string;
                organizationId: string;
                toUtc?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Counts over a period */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SearchInsights"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    recordSearchInteraction: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SearchInteraction"];
            };
        };
        responses: {
            /** @description Recorded */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SearchInteractionResult"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    suggestSearches: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SuggestionsRequest"];
            };
        };
        responses: {
            /** @description Completions, then names */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SuggestionList"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listSharedCameras: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The link's name, cameras and brand */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SharedCameraList"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    seekSharedCapture: {
        parameters: {
            query: {
                at: string;
                /** @description Required with `older` and `newer`: the capture at `at` from which to step. */
                captureId?: string;
                direction?: "nearest" | "older" | "newer";
            };
            header?: never;
            path: {
                cameraId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The capture, or null when there is none in this direction */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SharedCaptureSeekResult"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listSharedCaptureTimes: {
        parameters: {
            query?: {
                fromUtc?: string;
                toUtc?: string;
            };
            header?: never;
            path: {
                cameraId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The newest times of the range, in order */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CaptureTimes"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listSharedCameraFrames: {
        parameters: {
            query: {
                count: number;
                fromUtc?: string;
                toUtc?: string;
            };
            header?: never;
            path: {
                cameraId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The frames in order of time */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SharedFrameList"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listSharedTimelinePreviews: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                cameraId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TimelinePreviewsRequest"];
            };
        };
        responses: {
            /** @description A sample for each time, and each distinct capture once */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TimelinePreviewList"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getSharedCameraTimeline: {
        parameters: {
            query?: {
                fromUtc?: string;
                toUtc?: string;
            };
            header?: never;
            path: {
                cameraId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The timeline, at most thirty seconds old */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SharedCameraTimeline"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getSharedCaptureImage: {
        parameters: {
            query?: {
                thumbnail?: "true" | "false";
            };
            header?: never;
            path: {
                captureId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A JPEG */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "image/jpeg": string;
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listSharedLatestPreviews: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["LatestPreviewsRequest"];
            };
        };
        responses: {
            /** @description The cameras in the requested order, with null for a camera without a visible image */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SharedLatestPreviewList"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getSharedLogo: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description At most 256 pixels an edge */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "image/jpeg": string;
                    "image/png": string;
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    unlockSharedCameras: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SharedCamerasUnlock"];
            };
        };
        responses: {
            /** @description The pass */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SharedCamerasPass"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listClusters: {
        parameters: {
            query?: {
                cursor?: string;
                /** @description Whether the list contains resources that only a grant gives you access to. */
                includeShared?: boolean;
                limit?: number;
                /** @description Lists only resources of this organization, or of personal workspaces. */
                organizationId?: string | "personal";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of clusters */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ClusterList"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    createCluster: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ClusterCreate"];
            };
        };
        responses: {
            /** @description The cluster */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Cluster"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getCluster: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                clusterId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The cluster */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Cluster"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    deleteCluster: {
        parameters: {
            query?: {
                /** @description Removes the resource immediately and permanently, also from the trash. Only owners may. */
                purge?: boolean;
            };
            header?: never;
            path: {
                clusterId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. The answer has no body. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    updateCluster: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                clusterId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ClusterUpdate"];
            };
        };
        responses: {
            /** @description The cluster */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Cluster"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listClusterGrants: {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
            };
            header?: never;
            path: {
                clusterId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of grants */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GrantList"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    createClusterGrant: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                clusterId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["GrantCreate"];
            };
        };
        responses: {
            /** @description The grant */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Grant"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getClusterGrant: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                clusterId: string;
                grantId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The grant */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Grant"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    deleteClusterGrant: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                clusterId: string;
                grantId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. The answer has no body. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    updateClusterGrant: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                clusterId: string;
                grantId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["GrantUpdate"];
            };
        };
        responses: {
            /** @description The grant */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Grant"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    restoreCluster: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                clusterId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The cluster */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Cluster"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listLocations: {
        parameters: {
            query?: {
                clusterId?: string;
                cursor?: string;
                /** @description Whether the list contains resources that only a grant gives you access to. */
                includeShared?: boolean;
                limit?: number;
                /** @description Lists only resources of this organization, or of personal workspaces. */
                organizationId?: string | "personal";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of locations */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LocationList"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    createLocation: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["LocationCreate"];
            };
        };
        responses: {
            /** @description The location */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Location"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getLocation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                locationId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The location */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Location"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    deleteLocation: {
        parameters: {
            query?: {
                /** @description Removes the resource immediately and permanently, also from the trash. Only owners may. */
                purge?: boolean;
            };
            header?: never;
            path: {
                locationId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. The answer has no body. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    updateLocation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                locationId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["LocationUpdate"];
            };
        };
        responses: {
            /** @description The location */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Location"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listAnnotations: {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
            };
            header?: never;
            path: {
                locationId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of annotations */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AnnotationList"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    createAnnotation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                locationId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AnnotationCreate"];
            };
        };
        responses: {
            /** @description The annotation */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Annotation"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listCameraShares: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                locationId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Permissions and links */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CameraShareList"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    createCameraShare: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                locationId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CameraShareCreate"];
            };
        };
        responses: {
            /** @description The link, with its secret */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreatedCameraShare"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listCameras: {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
            };
            header?: never;
            path: {
                locationId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of cameras */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LocationCameraList"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    createCamera: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                locationId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CameraCreate"];
            };
        };
        responses: {
            /** @description The camera */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Camera"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listLatestPreviews: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                locationId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["LatestPreviewsRequest"];
            };
        };
        responses: {
            /** @description The cameras in the requested order, with nulls for a camera without a visible image */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LatestPreviewList"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listDocuments: {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
                /** @description Lists only documents in this folder and below it. */
                path?: string;
            };
            header?: never;
            path: {
                locationId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of documents */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DocumentList"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    completeUpload: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                locationId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DocumentUploadComplete"];
            };
        };
        responses: {
            /** @description The document */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Document"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    startUpload: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                locationId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DocumentUploadCreate"];
            };
        };
        responses: {
            /** @description The open upload of the same file, with a new address for the bytes */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DocumentUpload"];
                };
            };
            /** @description The address for the bytes */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DocumentUpload"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    cancelUpload: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                locationId: string;
                uploadId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. The answer has no body. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listLocationGrants: {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
            };
            header?: never;
            path: {
                locationId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of grants */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GrantList"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    createLocationGrant: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                locationId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["GrantCreate"];
            };
        };
        responses: {
            /** @description The grant */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Grant"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getLocationGrant: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                grantId: string;
                locationId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The grant */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Grant"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    deleteLocationGrant: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                grantId: string;
                locationId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. The answer has no body. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    updateLocationGrant: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                grantId: string;
                locationId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["GrantUpdate"];
            };
        };
        responses: {
            /** @description The grant */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Grant"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    restoreLocation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                locationId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The location */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Location"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listTrash: {
        parameters: {
            query?: {
                cursor?: string;
                /** @description Lists only resources of this kind. */
                kind?: "document" | "location" | "cluster";
                limit?: number;
                /** @description Lists only resources of this organization, or of personal workspaces. */
                organizationId?: string | "personal";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of the trash */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TrashItemList"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
}
